-- dialect: tsql
CREATE TABLE [Customers] ([Id] int NOT NULL PRIMARY KEY, [Name] nvarchar(200) NOT NULL, [TenantId] int NOT NULL, [Email] nvarchar(256) NOT NULL UNIQUE, [IsDeleted] bit NOT NULL);
CREATE TABLE [Orders] ([Id] int NOT NULL PRIMARY KEY, [CustomerId] int NOT NULL REFERENCES [Customers] ([Id]), [Total] decimal(18,2) NOT NULL, [CreatedOn] datetime2 NOT NULL, [Status] int NOT NULL);
CREATE TABLE [Lines] ([OrderId] int NOT NULL REFERENCES [Orders] ([Id]), [No] int NOT NULL, [Sku] nvarchar(50) NOT NULL, [Qty] int NOT NULL, PRIMARY KEY ([OrderId], [No]));
-- name: q1
-- expect: SI-0
SELECT TOP(1) [c].[Id], [c].[Name] FROM [Customers] AS [c] WHERE [c].[Id] = @__id_0;
-- name: q2
-- expect: SI-0
SELECT TOP(2) [c].[Id], [c].[Name] FROM [Customers] AS [c] WHERE [c].[Id] = @__id_0;
-- name: q3
-- expect: SI-1
SELECT TOP(1) [c].[Id] FROM [Customers] AS [c] WHERE [c].[Email] = @__email_0;
-- name: q4
-- expect: SI-1
SELECT TOP(10) [o].[Id] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @__c_0 ORDER BY [o].[CreatedOn] DESC;
-- name: q5
-- expect: SI-1
SELECT [o].[Id] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @__c_0 ORDER BY [o].[CreatedOn] DESC OFFSET @__p_1 ROWS FETCH NEXT @__p_2 ROWS ONLY;
-- name: q6
-- expect: unbounded
SELECT [o].[Id] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @__c_0 ORDER BY [o].[CreatedOn] DESC OFFSET 10 ROWS;
-- name: q7
-- expect: unbounded
SELECT [o].[Id] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @__c_0;
-- name: q8
-- expect: SI-2
SELECT COUNT(*) FROM [Orders] AS [o] WHERE [o].[CustomerId] = @__c_0;
-- name: q9
-- expect: SI-2
SELECT COALESCE(SUM([o].[Total]), 0.0) FROM [Orders] AS [o] WHERE [o].[CustomerId] = @__c_0;
-- name: q10
-- expect: unbounded
SELECT TOP 10 PERCENT [o].[Id] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @c;
-- name: q11
-- expect: unbounded
SELECT TOP 10 WITH TIES [o].[Id] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @c ORDER BY [o].[CreatedOn];
-- name: q12
-- expect: SI-1
SELECT CASE WHEN EXISTS (SELECT 1 FROM [Orders] AS [o] WHERE [o].[CustomerId] = @c) THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END;
-- name: q13
-- expect: unbounded
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM [Orders] AS [o] WHERE [o].[Total] < [o].[Status] + @c) THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END;
-- name: q14
-- expect: SI-0
SELECT [c].[Name], [t].[Id] FROM [Customers] [c] CROSS APPLY (SELECT TOP(3) [o].[Id] FROM [Orders] [o] WHERE [o].[Id] = [c].[Id] ORDER BY [o].[Id]) [t] WHERE [c].[Id] = @id;
-- name: q15
-- expect: SI-1
SELECT [c].[Name], [t].[Id] FROM [Customers] [c] OUTER APPLY (SELECT TOP(3) [o].[Id] FROM [Orders] [o] WHERE [o].[CustomerId] = [c].[Id] ORDER BY [o].[CreatedOn] DESC) [t] WHERE [c].[Id] = @id;
-- name: q16
-- expect: unbounded
SELECT [c].[Name], [t].[Id] FROM [Customers] [c] OUTER APPLY (SELECT [o].[Id] FROM [Orders] [o] WHERE [o].[CustomerId] = [c].[Id]) [t] WHERE [c].[Id] = @id;
-- name: q17
-- expect: SI-0
SELECT * FROM [Customers] WITH (NOLOCK) WHERE [Id] = @id;
-- name: q18
-- expect: unbounded
SELECT TOP(1) * FROM [Orders] WITH (UPDLOCK, READPAST) WHERE [Status] = 0 ORDER BY [Id];
-- name: q19
-- expect: SI-0
SELECT * FROM [Customers] WHERE [Id] = @id OPTION (RECOMPILE);
-- name: q20
-- expect: unbounded
SELECT * FROM [Customers] WHERE (@name IS NULL OR [Name] = @name);
-- name: q21
-- expect: unbounded
SELECT * FROM [Customers] WHERE [Name] = ISNULL(@name, [Name]);
-- name: q22
-- expect: unbounded
SELECT TOP(10) * FROM [Customers] ORDER BY NEWID();
-- name: q23
-- expect: SI-1
SELECT TOP(10) * FROM [Customers] WHERE [Name] LIKE @p + N'%' ORDER BY [Name];
-- name: q24
-- expect: unbounded
SELECT TOP(10) * FROM [Customers] WHERE [Name] LIKE N'%' + @p + N'%' ORDER BY [Name];
-- name: q25
-- expect: unbounded
SELECT TOP(10) * FROM [Customers] WHERE CHARINDEX(@p, [Name]) > 0;
-- name: q26
-- expect: unbounded
SELECT * FROM [Customers] WHERE [Id] IN (SELECT [value] FROM OPENJSON(@ids));
-- name: q27
-- expect: unbounded
SELECT * FROM [Customers] WHERE [Id] IN (SELECT value FROM STRING_SPLIT(@ids, ','));
-- name: q28
-- expect: SI-1
SELECT TOP(10) * FROM [Customers] WHERE [TenantId] = @t AND [IsDeleted] = CAST(0 AS bit) ORDER BY [Id];
-- name: q29
-- expect: SI-0
UPDATE [Customers] SET [Name] = @p0 OUTPUT 1 WHERE [Id] = @p1;
-- name: q30
-- expect: SI-0
DELETE FROM [Customers] OUTPUT 1 WHERE [Id] = @p0;
-- name: q31
-- expect: unbounded
DELETE FROM [o] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @c;
-- name: q32
-- expect: SI-1
DELETE TOP (100) FROM [Orders] WHERE [CustomerId] = @c;
-- name: q33
-- expect: unbounded
UPDATE [o] SET [o].[Status] = 1 FROM [Orders] AS [o] INNER JOIN [Customers] AS [c] ON [c].[Id] = [o].[CustomerId] WHERE [c].[TenantId] = @t;
-- name: q34
-- expect: unbounded
MERGE INTO [Orders] AS t USING [Lines] AS s ON t.[Id] = s.[OrderId] WHEN MATCHED THEN UPDATE SET [Status] = 1;
-- name: q35
-- expect: unbounded
SELECT * INTO #t FROM [Orders] WHERE [Id] = @id;
-- name: q36
-- expect: unbounded
SELECT [Id], ROW_NUMBER() OVER (ORDER BY [Total]) AS rn FROM [Orders];
-- name: q37
-- expect: SI-1
SELECT [t].[Id] FROM (SELECT [o].[Id], ROW_NUMBER() OVER (PARTITION BY [o].[CustomerId] ORDER BY [o].[CreatedOn] DESC) AS [row] FROM [Orders] AS [o] WHERE [o].[CustomerId] = @c) AS [t] WHERE [t].[row] <= 5;
-- name: q38
-- expect: unbounded
SELECT * FROM [Orders] FOR SYSTEM_TIME AS OF @t WHERE [CustomerId] = @c;
-- name: q39
-- expect: unbounded
SELECT [Status], COUNT(*) FROM [Orders] GROUP BY [Status] WITH ROLLUP;
