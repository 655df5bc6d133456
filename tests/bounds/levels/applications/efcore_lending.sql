-- dialect: tsql
-- A lending library as Entity Framework asks SQL Server: brackets, TOP, OFFSET FETCH, split queries, OUTER APPLY, rowversion.
CREATE TABLE [dbo].[Members] ([Id] int NOT NULL IDENTITY, [CardNo] nvarchar(20) NOT NULL, [Email] nvarchar(256) NULL, [Name] nvarchar(100) NOT NULL, [JoinedAt] datetime2 NOT NULL, [IsDeleted] bit NOT NULL, CONSTRAINT [PK_Members] PRIMARY KEY ([Id]));
CREATE TABLE [dbo].[Titles] ([Id] int NOT NULL IDENTITY, [Isbn] nchar(13) NOT NULL, [Name] nvarchar(300) NOT NULL, [AuthorId] int NOT NULL, [Published] int NOT NULL, CONSTRAINT [PK_Titles] PRIMARY KEY ([Id]));
CREATE TABLE [dbo].[Authors] ([Id] int NOT NULL IDENTITY, [Name] nvarchar(200) NOT NULL, CONSTRAINT [PK_Authors] PRIMARY KEY ([Id]));
CREATE TABLE [dbo].[Copies] ([TitleId] int NOT NULL, [CopyNo] tinyint NOT NULL, [Branch] nvarchar(20) NOT NULL, [Status] int NOT NULL, CONSTRAINT [PK_Copies] PRIMARY KEY ([TitleId], [CopyNo]), CONSTRAINT [FK_Copies_Titles] FOREIGN KEY ([TitleId]) REFERENCES [dbo].[Titles] ([Id]) ON DELETE CASCADE);
CREATE TABLE [dbo].[Loans] ([Id] bigint NOT NULL IDENTITY, [MemberId] int NOT NULL, [TitleId] int NOT NULL, [CopyNo] tinyint NOT NULL, [LentAt] datetime2 NOT NULL, [DueAt] datetime2 NOT NULL, [ReturnedAt] datetime2 NULL, [Fine] decimal(9,2) NOT NULL, CONSTRAINT [PK_Loans] PRIMARY KEY ([Id]), CONSTRAINT [FK_Loans_Members] FOREIGN KEY ([MemberId]) REFERENCES [dbo].[Members] ([Id]), CONSTRAINT [FK_Loans_Copies] FOREIGN KEY ([TitleId], [CopyNo]) REFERENCES [dbo].[Copies] ([TitleId], [CopyNo]));
CREATE TABLE [dbo].[Holds] ([MemberId] int NOT NULL, [TitleId] int NOT NULL, [PlacedAt] datetime2 NOT NULL, CONSTRAINT [PK_Holds] PRIMARY KEY ([MemberId], [TitleId]), CONSTRAINT [FK_Holds_Titles] FOREIGN KEY ([TitleId]) REFERENCES [dbo].[Titles] ([Id]));
CREATE UNIQUE INDEX [IX_Members_CardNo] ON [dbo].[Members] ([CardNo]);
CREATE UNIQUE INDEX [IX_Members_Email] ON [dbo].[Members] ([Email]) WHERE [Email] IS NOT NULL;
CREATE UNIQUE INDEX [IX_Titles_Isbn] ON [dbo].[Titles] ([Isbn]);
CREATE UNIQUE INDEX [IX_Loans_Open] ON [dbo].[Loans] ([TitleId], [CopyNo]) WHERE [ReturnedAt] IS NULL;
ALTER TABLE [dbo].[Titles] ADD CONSTRAINT [FK_Titles_Authors] FOREIGN KEY ([AuthorId]) REFERENCES [dbo].[Authors] ([Id]);

-- name: FindMember
-- expect: SI-0
SELECT TOP(1) [m].[Id], [m].[Name] FROM [dbo].[Members] AS [m] WHERE [m].[Id] = @__p_0;
-- name: SingleMember
-- expect: SI-0
SELECT TOP(2) [m].[Id], [m].[Name] FROM [Members] AS [m] WHERE [m].[Id] = @__id_0 AND [m].[IsDeleted] = CAST(0 AS bit);
-- name: MemberByCard
-- expect: SI-1
SELECT TOP(1) [m].[Id] FROM [Members] AS [m] WHERE [m].[CardNo] = @__card_0;
-- name: MemberByEmail
-- expect: SI-1
SELECT [m].[Id] FROM [Members] AS [m] WHERE [m].[Email] = @__email_0;
-- name: MembersWithoutEmail
-- expect: unbounded
SELECT [m].[Id] FROM [Members] AS [m] WHERE [m].[Email] IS NULL;
-- name: MemberByEmailOrNull
-- expect: unbounded
SELECT [m].[Id] FROM [Members] AS [m] WHERE [m].[Email] = @__email_0 OR ([m].[Email] IS NULL AND @__email_0 IS NULL);
-- name: MembersContains
-- expect: unbounded
SELECT TOP(@__p_1) [m].[Id] FROM [Members] AS [m] WHERE [m].[Name] LIKE N'%' + @__q_0 + N'%';
-- name: MembersStartsWith
-- expect: unbounded
SELECT TOP(20) [m].[Id] FROM [Members] AS [m] WHERE LEFT([m].[Name], LEN(@__q_0)) = @__q_0 ORDER BY [m].[Name];
-- name: MembersPage
-- expect: SI-1
SELECT [m].[Id], [m].[Name] FROM [Members] AS [m] WHERE [m].[IsDeleted] = CAST(0 AS bit) ORDER BY [m].[Name], [m].[Id] OFFSET @__p_0 ROWS FETCH NEXT @__p_1 ROWS ONLY;
-- name: MembersOffsetOnly
-- expect: unbounded
SELECT [m].[Id] FROM [Members] AS [m] ORDER BY [m].[Id] OFFSET @__p_0 ROWS;
-- name: MembersHalf
-- expect: unbounded
SELECT TOP(50) PERCENT [m].[Id] FROM [Members] AS [m] ORDER BY [m].[Name];
-- name: MembersTies
-- expect: unbounded
SELECT TOP(10) WITH TIES [m].[Id] FROM [Members] AS [m] ORDER BY [m].[Name];
-- name: TitleByIsbn
-- expect: SI-1
SELECT TOP(1) [t].[Id], [a].[Name] FROM [Titles] AS [t] INNER JOIN [Authors] AS [a] ON [t].[AuthorId] = [a].[Id] WHERE [t].[Isbn] = @__isbn_0;
-- name: TitlesOfAuthor
-- expect: SI-1
SELECT [t].[Id] FROM [Titles] AS [t] WHERE [t].[AuthorId] = @__a_0 ORDER BY [t].[Published] DESC OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY;
-- name: TitlesOfAuthorAll
-- expect: unbounded
SELECT [t].[Id] FROM [Titles] AS [t] WHERE [t].[AuthorId] = @__a_0;
-- name: CopiesOfTitle
-- expect: SI-0
SELECT [c].[CopyNo], [c].[Status] FROM [Copies] AS [c] WHERE [c].[TitleId] = @__t_0;
-- name: CopiesOfAuthor
-- expect: unbounded
SELECT [c].[CopyNo] FROM [Copies] AS [c] INNER JOIN [Titles] AS [t] ON [c].[TitleId] = [t].[Id] WHERE [t].[AuthorId] = @__a_0;
-- name: OpenLoanOfCopy
-- expect: SI-1
SELECT TOP(1) [l].[MemberId] FROM [Loans] AS [l] WHERE [l].[TitleId] = @__t_0 AND [l].[CopyNo] = @__c_1 AND [l].[ReturnedAt] IS NULL;
-- name: OpenLoansOfTitle
-- expect: SI-1
SELECT [l].[MemberId] FROM [Loans] AS [l] WHERE [l].[TitleId] = @__t_0 AND [l].[ReturnedAt] IS NULL;
-- name: LoansOfTitle
-- expect: unbounded
SELECT [l].[MemberId] FROM [Loans] AS [l] WHERE [l].[TitleId] = @__t_0;
-- name: LoansOfMember
-- expect: SI-1
SELECT [l].[Id], [t].[Name] FROM [Loans] AS [l] INNER JOIN [Titles] AS [t] ON [l].[TitleId] = [t].[Id] WHERE [l].[MemberId] = @__m_0 ORDER BY [l].[LentAt] DESC OFFSET 0 ROWS FETCH NEXT 20 ROWS ONLY;
-- name: OverdueOfMember
-- expect: SI-1
SELECT TOP(50) [l].[Id] FROM [Loans] AS [l] WHERE [l].[MemberId] = @__m_0 AND [l].[ReturnedAt] IS NULL AND [l].[DueAt] < GETUTCDATE() ORDER BY [l].[DueAt];
-- name: Overdue
-- expect: SI-1
SELECT TOP(50) [l].[Id] FROM [Loans] AS [l] WHERE [l].[ReturnedAt] IS NULL AND [l].[DueAt] < @__now_0 ORDER BY [l].[DueAt];
-- name: OverdueDays
-- expect: unbounded
SELECT TOP(50) [l].[Id] FROM [Loans] AS [l] WHERE [l].[ReturnedAt] IS NULL ORDER BY DATEDIFF(day, [l].[DueAt], GETUTCDATE()) DESC;
-- name: FinesOfMember
-- expect: SI-2
SELECT COALESCE(SUM([l].[Fine]), 0.0) FROM [Loans] AS [l] WHERE [l].[MemberId] = @__m_0;
-- name: LongLoans
-- expect: SI-2
SELECT COUNT(*) FROM [Loans] AS [l] WHERE [l].[MemberId] = @__m_0 AND [l].[ReturnedAt] IS NULL;
-- name: MemberWithLastLoan
-- expect: SI-1
SELECT [m].[Id], [l0].[LentAt] FROM [Members] AS [m] OUTER APPLY (SELECT TOP(1) [l].[LentAt] FROM [Loans] AS [l] WHERE [l].[MemberId] = [m].[Id] ORDER BY [l].[LentAt] DESC) AS [l0] WHERE [m].[Id] = @__m_0;
-- name: MembersWithLastLoan
-- expect: SI-1
SELECT [m].[Id], [l0].[LentAt] FROM [Members] AS [m] OUTER APPLY (SELECT TOP(1) [l].[LentAt] FROM [Loans] AS [l] WHERE [l].[MemberId] = [m].[Id] ORDER BY [l].[LentAt] DESC) AS [l0] ORDER BY [m].[Id] OFFSET 0 ROWS FETCH NEXT 20 ROWS ONLY;
-- name: MembersWithSomeLoan
-- expect: unbounded
SELECT [m].[Id], [l0].[LentAt] FROM [Members] AS [m] CROSS APPLY (SELECT TOP(1) [l].[LentAt] FROM [Loans] AS [l] WHERE [l].[MemberId] = [m].[Id] ORDER BY [l].[LentAt] DESC) AS [l0] ORDER BY [m].[Id] OFFSET 0 ROWS FETCH NEXT 20 ROWS ONLY;
-- name: LatestPerTitle
-- expect: SI-1
SELECT [t0].[MemberId] FROM (SELECT [l].[MemberId], [l].[TitleId], ROW_NUMBER() OVER(PARTITION BY [l].[TitleId] ORDER BY [l].[LentAt] DESC) AS [row] FROM [Loans] AS [l] WHERE [l].[TitleId] IN (@__a, @__b)) AS [t0] WHERE [t0].[row] <= 2;
-- name: HoldsQueue
-- expect: SI-1
SELECT TOP(5) [h].[MemberId] FROM [Holds] AS [h] WHERE [h].[TitleId] = @__t_0 ORDER BY [h].[PlacedAt];
-- name: PlaceInQueue
-- expect: unbounded
SELECT COUNT(*) FROM [Holds] AS [h] WHERE [h].[TitleId] = @__t_0 AND [h].[PlacedAt] < @__at_1;
-- name: HasHold
-- expect: SI-0
SELECT CASE WHEN EXISTS (SELECT 1 FROM [Holds] AS [h] WHERE [h].[MemberId] = @__m_0 AND [h].[TitleId] = @__t_1) THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END;
-- name: HeldTitlesByName
-- expect: unbounded
SELECT TOP(10) [t].[Name] FROM [Holds] AS [h] INNER JOIN [Titles] AS [t] ON [h].[TitleId] = [t].[Id] WHERE [h].[MemberId] = @__m_0 ORDER BY [t].[Name];
-- name: Popular
-- expect: SI-2
SELECT TOP(10) [h].[TitleId], COUNT(*) AS [n] FROM [Holds] AS [h] GROUP BY [h].[TitleId] ORDER BY COUNT(*) DESC;
-- name: PopularOfBranch
-- expect: unbounded
SELECT TOP(10) [l].[TitleId], COUNT(*) AS [n] FROM [Loans] AS [l] INNER JOIN [Copies] AS [c] ON [c].[TitleId] = [l].[TitleId] AND [c].[CopyNo] = [l].[CopyNo] WHERE [c].[Branch] = @__b_0 GROUP BY [l].[TitleId] ORDER BY COUNT(*) DESC;
-- name: OpenJson
-- expect: unbounded
SELECT [m].[Id] FROM [Members] AS [m] WHERE [m].[Id] IN (SELECT [i].[value] FROM OPENJSON(@__ids_0) WITH ([value] int '$') AS [i]);
-- name: ReturnCopy
-- expect: SI-0
UPDATE [Loans] SET [ReturnedAt] = @p0 WHERE [Id] = @p1;
-- name: PurgeLoans
-- expect: unbounded
DELETE FROM [Loans] WHERE [ReturnedAt] < @__cut_0;
