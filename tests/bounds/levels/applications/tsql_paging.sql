-- dialect: tsql
-- A bank's back office on SQL Server: TOP, OFFSET FETCH, APPLY, OUTPUT, hints, row numbers.
CREATE TABLE [dbo].[Accounts] ([AccountId] bigint NOT NULL PRIMARY KEY, [BranchId] int NOT NULL, [Iban] varchar(34) NOT NULL, [Holder] nvarchar(200) NOT NULL, [Balance] decimal(19,4) NOT NULL, [Closed] bit NOT NULL, [OpenedAt] datetime2 NOT NULL, CONSTRAINT UQ_Iban UNIQUE ([Iban]));
CREATE TABLE [dbo].[Entries] ([AccountId] bigint NOT NULL REFERENCES [dbo].[Accounts] ([AccountId]), [No] int NOT NULL, [BookedAt] datetime2 NOT NULL, [Amount] decimal(19,4) NOT NULL, [Kind] char(2) NOT NULL, [PartnerId] bigint NULL, CONSTRAINT PK_Entries PRIMARY KEY ([AccountId], [No]));
CREATE TABLE [dbo].[Branches] ([BranchId] int NOT NULL PRIMARY KEY, [Region] varchar(10) NOT NULL, [Name] nvarchar(100) NOT NULL);
CREATE TABLE [dbo].[Holds] ([HoldId] uniqueidentifier NOT NULL PRIMARY KEY, [AccountId] bigint NOT NULL, [Until] datetime2 NOT NULL, [Amount] decimal(19,4) NOT NULL);
CREATE UNIQUE INDEX IX_Holds ON [dbo].[Holds] ([AccountId], [Until]) WHERE [Amount] > 0;

-- name: t1
-- expect: SI-0
SELECT TOP (1) [a].[AccountId], [a].[Balance] FROM [dbo].[Accounts] AS [a] WHERE [a].[AccountId] = @__id_0;
-- name: t2
-- expect: SI-1
SELECT TOP(2) [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[Iban] = @iban;
-- name: t3
-- expect: unbounded
SELECT TOP (10) PERCENT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[BranchId] = @b;
-- name: t4
-- expect: unbounded
SELECT TOP (10) WITH TIES [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[BranchId] = @b ORDER BY [a].[Balance] DESC;
-- name: t5
-- expect: SI-1
SELECT TOP (10) [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[BranchId] = @b ORDER BY [a].[Balance] DESC;
-- name: t6
-- expect: SI-1
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[BranchId] = @b ORDER BY [a].[OpenedAt] OFFSET @__p_1 ROWS FETCH NEXT @__p_2 ROWS ONLY;
-- name: t7
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[BranchId] = @b ORDER BY [a].[OpenedAt] OFFSET @__p_1 ROWS;
-- name: t8
-- expect: SI-0
SELECT [a].[AccountId], [e].[Amount] FROM [dbo].[Accounts] AS [a] OUTER APPLY (SELECT TOP (3) [x].[Amount] FROM [dbo].[Entries] AS [x] WHERE [x].[AccountId] = [a].[AccountId] ORDER BY [x].[No] DESC) AS [e] WHERE [a].[AccountId] = @id;
-- name: t9
-- expect: unbounded
SELECT [a].[AccountId], [e].[Amount] FROM [dbo].[Accounts] AS [a] CROSS APPLY (SELECT [x].[Amount] FROM [dbo].[Entries] AS [x] WHERE [x].[AccountId] = [a].[AccountId]) AS [e] WHERE [a].[AccountId] = @id;
-- name: t10
-- expect: SI-1
SELECT [a].[AccountId], [e].[Amount] FROM (SELECT TOP (5) * FROM [dbo].[Accounts] WHERE [BranchId] = @b ORDER BY [Iban]) AS [a] CROSS APPLY (SELECT TOP (3) [x].[Amount] FROM [dbo].[Entries] AS [x] WHERE [x].[AccountId] = [a].[AccountId] ORDER BY [x].[No] DESC) AS [e];
-- name: t11
-- expect: SI-0
SELECT * FROM (SELECT [e].*, ROW_NUMBER() OVER (ORDER BY [e].[No] DESC) AS rn FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id) AS p WHERE p.rn BETWEEN 11 AND 20;
-- name: t12
-- expect: unbounded
SELECT * FROM (SELECT [e].*, ROW_NUMBER() OVER (ORDER BY [e].[Amount] * @rate DESC) AS rn FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id) AS p WHERE p.rn <= 20;
-- name: t13
-- expect: unbounded
SELECT * FROM (SELECT [e].*, ROW_NUMBER() OVER (ORDER BY [e].[No] DESC) AS rn FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id) AS p WHERE p.rn > 10;
-- name: t14
-- expect: unbounded
SELECT * FROM (SELECT [e].*, COUNT(*) OVER () AS total, ROW_NUMBER() OVER (ORDER BY [e].[No] DESC) AS rn FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id) AS p WHERE p.rn <= 10;
-- name: t15
-- expect: unbounded
SELECT TOP (10) [e].*, COUNT(*) OVER () AS total FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id ORDER BY [e].[No];
-- name: t16
-- expect: unbounded
SELECT TOP (10) [e].[No], SUM([e].[Amount]) OVER (PARTITION BY [e].[AccountId]) AS total FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id ORDER BY [e].[No];
-- name: t17
-- expect: SI-0
SELECT TOP (10) [e].[No] FROM [dbo].[Entries] AS [e] WITH (NOLOCK) WHERE [e].[AccountId] = @id ORDER BY [e].[No];
-- name: t18
-- expect: unbounded
SELECT TOP (10) [e].[No] FROM [dbo].[Entries] AS [e] WITH (READPAST, UPDLOCK) WHERE [e].[AccountId] = @id ORDER BY [e].[No];
-- name: t19
-- expect: SI-2
SELECT SUM([e].[Amount]) FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id AND [e].[Kind] = 'IN';
-- name: t20
-- expect: unbounded
SELECT SUM([e].[Amount]) FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id AND [e].[BookedAt] >= @since;
-- name: t21
-- expect: SI-2
SELECT SUM([e].[Amount]) FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id AND YEAR([e].[BookedAt]) = @y;
-- name: t22
-- expect: SI-2
SELECT CASE WHEN EXISTS (SELECT 1 FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id AND [e].[Kind] = 'XX') THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END, (SELECT COUNT(*) FROM [dbo].[Entries] AS [e] WHERE [e].[AccountId] = @id);
-- name: t23
-- expect: SI-1
SELECT [h].[HoldId] FROM [dbo].[Holds] AS [h] WHERE [h].[AccountId] = @a AND [h].[Until] = @u AND [h].[Amount] > 0;
-- name: t24
-- expect: unbounded
SELECT [h].[HoldId] FROM [dbo].[Holds] AS [h] WHERE [h].[AccountId] = @a AND [h].[Until] = @u;
-- name: t25
-- expect: unbounded
SELECT [h].[HoldId] FROM [dbo].[Holds] AS [h] WHERE [h].[AccountId] = @a AND [h].[Until] = @u AND [h].[Amount] > -1;
-- name: t26
-- expect: SI-1
SELECT [h].[HoldId] FROM [dbo].[Holds] AS [h] WHERE [h].[AccountId] = @a AND [h].[Until] = @u AND [h].[Amount] > 100;
-- name: t27
-- expect: unbounded
SELECT [h].[HoldId] FROM [dbo].[Holds] AS [h] WHERE [h].[AccountId] = @a AND [h].[Until] = @u AND [h].[Amount] >= 0;
-- name: t28
-- expect: SI-0
SELECT [e].[No], [b].[Name] FROM [dbo].[Entries] AS [e] INNER JOIN [dbo].[Accounts] AS [a] ON [e].[AccountId] = [a].[AccountId] LEFT JOIN [dbo].[Branches] AS [b] ON [a].[BranchId] = [b].[BranchId] WHERE [e].[AccountId] = @id AND [e].[No] = @no;
-- name: t29
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] INNER JOIN [dbo].[Branches] AS [b] ON [a].[BranchId] = [b].[BranchId] WHERE [b].[Region] = @r ORDER BY [a].[Balance] DESC OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY;
-- name: t30
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[AccountId] = ISNULL(@id, [a].[AccountId]);
-- name: t31
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE (@id IS NULL OR [a].[AccountId] = @id) AND (@iban IS NULL OR [a].[Iban] = @iban);
-- name: t32
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[Iban] COLLATE Latin1_General_CI_AI = @iban;
-- name: t33
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE CONVERT(varchar(20), [a].[AccountId]) = @id;
-- name: t34
-- expect: SI-0
UPDATE [dbo].[Accounts] SET [Balance] = [Balance] - @p0 OUTPUT INSERTED.[Balance] WHERE [AccountId] = @p1 AND [Balance] >= @p0;
-- name: t35
-- expect: unbounded
DELETE FROM [dbo].[Holds] OUTPUT DELETED.[HoldId] WHERE [Until] < SYSUTCDATETIME();
-- name: t36
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE CHARINDEX(@p, [a].[Iban]) > 0;
-- name: t37
-- expect: unbounded
SELECT [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE LEFT([a].[Iban], LEN(@p)) = @p ORDER BY [a].[Iban] OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY;
-- name: t38
-- expect: SI-1
SELECT TOP (10) [a].[AccountId] FROM [dbo].[Accounts] AS [a] WHERE [a].[Iban] LIKE @p + '%' ORDER BY [a].[Iban];
-- name: t39
-- expect: unbounded
SELECT [Region], COUNT(*) FROM [dbo].[Branches] GROUP BY CUBE ([Region]);
-- name: t40
-- expect: SI-2
SELECT TOP (3) [Region], COUNT(*) AS n FROM [dbo].[Branches] GROUP BY [Region] ORDER BY COUNT(*) DESC;
