-- dialect: tsql
CREATE TABLE [dbo].[Artists] ([Id] int NOT NULL IDENTITY, [Name] nvarchar(200) NOT NULL, [Slug] nvarchar(200) NOT NULL, [IsDeleted] bit NOT NULL DEFAULT 0, CONSTRAINT [PK_Artists] PRIMARY KEY ([Id]));
CREATE UNIQUE INDEX [IX_Artists_Slug] ON [dbo].[Artists] ([Slug]) WHERE [IsDeleted] = 0;
CREATE TABLE [Albums] ([Id] int NOT NULL IDENTITY, [ArtistId] int NOT NULL, [Title] nvarchar(max) NOT NULL, [ReleasedOn] date NULL, [Upc] nvarchar(20) NULL, CONSTRAINT [PK_Albums] PRIMARY KEY ([Id]), CONSTRAINT [FK_Albums_Artists] FOREIGN KEY ([ArtistId]) REFERENCES [Artists] ([Id]) ON DELETE CASCADE, CONSTRAINT [UQ_Upc] UNIQUE ([Upc]));
CREATE TABLE [Tracks] ([AlbumId] int NOT NULL, [Disc] tinyint NOT NULL, [Number] tinyint NOT NULL, [Isrc] char(12) NOT NULL, [Seconds] int NOT NULL, CONSTRAINT [PK_Tracks] PRIMARY KEY ([AlbumId], [Disc], [Number]), CONSTRAINT [CK_Disc] CHECK ([Disc] BETWEEN 1 AND 4));
ALTER TABLE [Tracks] WITH NOCHECK ADD CONSTRAINT [FK_Tracks_Albums] FOREIGN KEY ([AlbumId]) REFERENCES [Albums] ([Id]);
CREATE TABLE [Plays] ([Id] bigint NOT NULL IDENTITY, [UserId] uniqueidentifier NOT NULL, [Isrc] char(12) NOT NULL, [PlayedAt] datetimeoffset NOT NULL, [Device] nvarchar(50) NULL, CONSTRAINT [PK_Plays] PRIMARY KEY ([Id]));
CREATE TABLE [Playlists] ([Id] uniqueidentifier NOT NULL, [OwnerId] uniqueidentifier NOT NULL, [Name] nvarchar(100) NOT NULL, [RowVersion] rowversion NOT NULL, CONSTRAINT [PK_Playlists] PRIMARY KEY ([Id]));
CREATE TABLE [PlaylistItems] ([PlaylistId] uniqueidentifier NOT NULL, [Position] int NOT NULL, [Isrc] char(12) NOT NULL, CONSTRAINT [PK_PlaylistItems] PRIMARY KEY ([PlaylistId], [Position]), CONSTRAINT [CK_Position] CHECK ([Position] >= 0 AND [Position] < 500));
CREATE TABLE [Settings] ([Key] nvarchar(50) NOT NULL, [TenantId] int NULL, [Value] nvarchar(max), CONSTRAINT [UQ_Settings] UNIQUE ([Key], [TenantId]));
CREATE VIEW [LiveArtists] AS SELECT [Id], [Name], [Slug] FROM [Artists] WHERE [IsDeleted] = 0;
CREATE VIEW [Top] AS SELECT TOP (100) PERCENT * FROM [Plays] ORDER BY [PlayedAt];

-- name: find
-- expect: SI-0
SELECT TOP(1) [a].[Id], [a].[Name] FROM [Artists] AS [a] WHERE [a].[Id] = @__id_0;
-- name: by_slug
-- expect: SI-1
SELECT TOP(2) [a].[Id] FROM [Artists] AS [a] WHERE [a].[IsDeleted] = CAST(0 AS bit) AND [a].[Slug] = @slug;
-- name: by_slug_all
-- expect: SI-1
SELECT [a].[Id] FROM [Artists] AS [a] WHERE [a].[IsDeleted] = 0 AND [a].[Slug] = @slug;
-- name: by_slug_deleted_too
-- expect: unbounded
SELECT [a].[Id] FROM [Artists] AS [a] WHERE [a].[Slug] = @slug;
-- name: by_slug_deleted
-- expect: unbounded
SELECT [a].[Id] FROM [Artists] AS [a] WHERE [a].[Slug] = @slug AND [a].[IsDeleted] = 1;
-- name: by_slug_flag_param
-- expect: unbounded
SELECT [a].[Id] FROM [Artists] AS [a] WHERE [a].[Slug] = @slug AND [a].[IsDeleted] = @deleted;
-- name: live_view
-- expect: SI-1
SELECT [Id] FROM [LiveArtists] WHERE [Slug] = @slug;
-- name: top_percent_view
-- expect: unbounded
SELECT * FROM [Top];
-- name: albums_of_artist
-- expect: SI-1
SELECT [a].[Id], [a].[Title] FROM [Albums] AS [a] WHERE [a].[ArtistId] = @p ORDER BY [a].[ReleasedOn] DESC, [a].[Id] OFFSET @skip ROWS FETCH NEXT @take ROWS ONLY;
-- name: split_include
-- expect: unbounded
SELECT [t].[AlbumId], [t].[Number], [a].[Id] FROM [Albums] AS [a] INNER JOIN [Tracks] AS [t] ON [a].[Id] = [t].[AlbumId] WHERE [a].[ArtistId] = @p ORDER BY [a].[Id];
-- name: include_one
-- expect: SI-0
SELECT [a].[Id], [t].[Disc], [t].[Number] FROM (SELECT TOP(1) [a0].[Id] FROM [Albums] AS [a0] WHERE [a0].[Id] = @p) AS [a] LEFT JOIN [Tracks] AS [t] ON [a].[Id] = [t].[AlbumId] ORDER BY [a].[Id], [t].[Disc];
-- name: tracks_of_album
-- expect: SI-0
SELECT * FROM [Tracks] WHERE [AlbumId] = @p;
-- name: tracks_of_disc
-- expect: SI-0
SELECT * FROM [Tracks] WHERE [AlbumId] = @p AND [Disc] = 1;
-- name: playlist
-- expect: SI-0
SELECT * FROM [PlaylistItems] WHERE [PlaylistId] = @p ORDER BY [Position];
-- name: playlist_cast
-- expect: unbounded
SELECT * FROM [PlaylistItems] WHERE CAST([PlaylistId] AS nvarchar(10)) = @p;
-- name: contains_json
-- expect: unbounded
SELECT [a].[Id] FROM [Albums] AS [a] WHERE [a].[Id] IN (SELECT [i].[value] FROM OPENJSON(@ids) WITH ([value] int '$') AS [i]);
-- name: upc
-- expect: SI-1
SELECT [Id] FROM [Albums] WHERE [Upc] = @upc;
-- name: upc_null_one_in_tsql
-- expect: SI-1
SELECT [Id] FROM [Albums] WHERE [Upc] IS NULL;
-- name: setting_tenant
-- expect: SI-1
SELECT [Value] FROM [Settings] WHERE [Key] = @k AND [TenantId] = @t;
-- name: setting_global
-- expect: SI-1
SELECT [Value] FROM [Settings] WHERE [Key] = @k AND [TenantId] IS NULL;
-- name: setting_ef_null_semantics
-- expect: SI-1
SELECT [Value] FROM [Settings] WHERE [Key] = @k AND ([TenantId] = @t OR ([TenantId] IS NULL AND @t IS NULL));
-- name: setting_key
-- expect: unbounded
SELECT [Value] FROM [Settings] WHERE [Key] = @k;
-- name: recent_plays
-- expect: SI-1
SELECT TOP(50) [p].[Isrc] FROM [Plays] AS [p] WITH (NOLOCK) WHERE [p].[UserId] = @u ORDER BY [p].[PlayedAt] DESC;
-- name: recent_plays_readpast
-- expect: unbounded
SELECT TOP(50) [p].[Isrc] FROM [Plays] AS [p] WITH (READPAST) WHERE [p].[UserId] = @u ORDER BY [p].[PlayedAt] DESC;
-- name: recent_plays_ties
-- expect: unbounded
SELECT TOP(50) WITH TIES [p].[Isrc] FROM [Plays] AS [p] WHERE [p].[UserId] = @u ORDER BY [p].[PlayedAt] DESC;
-- name: top_expression
-- expect: SI-1
SELECT TOP(@n) [p].[Isrc] FROM [Plays] AS [p] WHERE [p].[UserId] = @u ORDER BY [p].[PlayedAt] DESC;
-- name: top_percent
-- expect: unbounded
SELECT TOP(1) PERCENT [p].[Isrc] FROM [Plays] AS [p] WHERE [p].[UserId] = @u ORDER BY [p].[PlayedAt] DESC;
-- name: distinct_isrc
-- expect: SI-1
SELECT DISTINCT TOP(10) [p].[Isrc] FROM [Plays] AS [p] WHERE [p].[UserId] = @u;
-- name: play_counts
-- expect: unbounded
SELECT TOP(10) [p].[Isrc], COUNT(*) AS [Count] FROM [Plays] AS [p] WHERE [p].[UserId] = @u AND [p].[PlayedAt] >= @from GROUP BY [p].[Isrc] ORDER BY COUNT(*) DESC;
-- name: play_count_all_time
-- expect: SI-2
SELECT TOP(10) [p].[Isrc], COUNT(*) AS [Count] FROM [Plays] AS [p] WHERE [p].[UserId] = @u GROUP BY [p].[Isrc] ORDER BY COUNT(*) DESC;
-- name: play_count_user
-- expect: SI-2
SELECT COUNT(*) FROM [Plays] AS [p] WHERE [p].[UserId] = @u;
-- name: any
-- expect: SI-1
SELECT CASE WHEN EXISTS (SELECT 1 FROM [Plays] AS [p] WHERE [p].[UserId] = @u AND [p].[Isrc] = @i) THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END;
-- name: apply_last
-- expect: SI-1
SELECT [a].[Id], [t].[Title] FROM (SELECT TOP(10) [Id] FROM [Artists] ORDER BY [Id]) AS [a] OUTER APPLY (SELECT TOP(1) [b].[Title] FROM [Albums] AS [b] WHERE [b].[ArtistId] = [a].[Id] ORDER BY [b].[ReleasedOn] DESC) AS [t];
-- name: apply_cross_unbounded
-- expect: unbounded
SELECT TOP(10) [a].[Id], [t].[Title] FROM [Artists] AS [a] CROSS APPLY (SELECT TOP(1) [b].[Title] FROM [Albums] AS [b] WHERE [b].[ArtistId] = [a].[Id] AND [b].[Upc] LIKE '%9' ORDER BY [b].[ReleasedOn] DESC) AS [t] ORDER BY [a].[Id];
-- name: update_top
-- expect: SI-1
UPDATE TOP (10) [Plays] SET [Device] = N'x' WHERE [UserId] = @u;
-- name: delete_top
-- expect: SI-1
DELETE TOP (1000) FROM [Plays] WHERE [PlayedAt] < @cutoff;
-- name: update_concurrency
-- expect: SI-0
UPDATE [Playlists] SET [Name] = @p0 OUTPUT INSERTED.[RowVersion] WHERE [Id] = @p1 AND [RowVersion] = @p2;
-- name: len_filter
-- expect: unbounded
SELECT [Id] FROM [Artists] WHERE LEN([Name]) > @n;
-- name: newid_order
-- expect: unbounded
SELECT TOP(5) [Id] FROM [Artists] ORDER BY NEWID();
-- name: string_split
-- expect: unbounded
SELECT [a].[Id] FROM [Artists] AS [a] WHERE [a].[Id] IN (SELECT CAST(value AS int) FROM STRING_SPLIT(@ids, ','));
-- name: grouping_sets
-- expect: unbounded
SELECT [UserId], [Device], COUNT(*) FROM [Plays] WHERE [UserId] = @u GROUP BY GROUPING SETS (([UserId]), ([Device]));
-- name: pivot
-- expect: unbounded
SELECT * FROM (SELECT [Disc], [Seconds] FROM [Tracks]) AS s PIVOT (SUM([Seconds]) FOR [Disc] IN ([1], [2])) AS p;
-- name: cte_paging
-- expect: SI-0
WITH n AS (SELECT [Id], ROW_NUMBER() OVER (ORDER BY [Id]) AS rn FROM [Artists]) SELECT [Id] FROM n WHERE rn BETWEEN 11 AND 20;
-- name: cte_paging_param
-- expect: unbounded
WITH n AS (SELECT [Id], ROW_NUMBER() OVER (ORDER BY [Id]) AS rn FROM [Artists]) SELECT [Id] FROM n WHERE rn > @skip;
-- name: isrc_padding
-- expect: SI-1
SELECT TOP(3) [AlbumId] FROM [Tracks] WHERE [Isrc] = @isrc ORDER BY [AlbumId], [Disc], [Number];
-- name: isnull_param
-- expect: unbounded
SELECT [Id] FROM [Albums] WHERE [ArtistId] = ISNULL(@artist, [ArtistId]);
-- name: collate_slug
-- expect: unbounded
SELECT [a].[Id] FROM [Artists] AS [a] WHERE [a].[IsDeleted] = 0 AND [a].[Slug] COLLATE Latin1_General_CI_AI = @slug;
