"""Codes of the SELECT of a view: what cannot be understood, and what cannot be kept."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW301",
        "An unknown relation",
        "The SELECT names a table, view, common table expression or alias that does not exist here.",
        "Correct the name; the message suggests the nearest one.",
    ),
    Code(
        "HW302",
        "An unknown column or field",
        "None of the relations in scope has the column, or a struct does not have the field.",
        "Correct the name; the message suggests the nearest one.",
    ),
    Code(
        "HW303",
        "An ambiguous column",
        "Several relations in scope have a column of that name.",
        "Write the relation before it: orders.id.",
    ),
    Code(
        "HW304",
        "Two columns of a view have one name",
        "A view is stored as a table, whose columns need different names, without regard to case.",
        "Rename one of them with AS.",
    ),
    Code(
        "HW305",
        "A column is neither grouped nor aggregated",
        "A group has many rows, so it has no single value of this column.",
        "Add the column to GROUP BY, or write an aggregate such as max(column).",
    ),
    Code(
        "HW306",
        "An aggregate is used where it cannot stand",
        "An aggregate stands in WHERE, ON or inside another aggregate; or a function that is not an aggregate"
        " is used like one.",
        "Move it into the select list or HAVING, or compute it in a subquery.",
    ),
    Code(
        "HW307",
        "Parts of a set operation have different columns",
        "UNION, INTERSECT and EXCEPT need parts with the same number of columns (or names, BY NAME).",
        "Select the same columns in every part.",
    ),
    Code(
        "HW308",
        "Types do not go together",
        "An operator or function has arguments of types it does not take.",
        "Use CAST to say what is meant.",
    ),
    Code(
        "HW309",
        "Wrong arguments of window()",
        "A window needs a timestamp, a size, and optionally a slide and an offset, as texts.",
        "Write for example window(at, '10 minutes', '5 minutes').",
    ),
    Code(
        "HW320",
        "Something in a view cannot be repeated",
        "A view at a time equals its SQL over its sources as of that time, so nothing in it may depend on"
        " chance, on the moment of execution or on another time.",
        "Store the value in a column of the source, or add an ORDER BY to a LIMIT.",
    ),
    Code(
        "HW321",
        "A cross join",
        "Nothing connects two relations, so the size of the view is the product of theirs.",
        "Add a join condition, or declare the view with ALLOW CROSS JOIN.",
    ),
    Code(
        "HW322",
        "A strict view cannot be kept incrementally",
        "REFRESH POLICY INCREMENTAL STRICT allows no full refresh, and a part of the view has no delta rule.",
        "Rewrite that part, or use REFRESH POLICY INCREMENTAL or AUTO.",
    ),
    Code(
        "HW323",
        "An unknown function",
        "Spark has no function of that name.",
        "Correct the name; the message suggests the nearest one.",
    ),
    Code(
        "HW324",
        "A position is out of range",
        "GROUP BY n or ORDER BY n counts beyond the columns of the select list.",
        "Write the column's name instead.",
    ),
    Code(
        "HW325",
        "A wrong number of column names",
        "A view or an alias names more or fewer columns than its SELECT has.",
        "Name every column once.",
    ),
    Code(
        "HW327",
        "IN compares different numbers of columns",
        "The values on the left and the columns of the subquery differ in number.",
        "Select as many columns as there are values.",
    ),
    Code(
        "HW328",
        "A star in an expression",
        "* stands for all columns: alone in the select list, or in count(*).",
        "Name the column that is meant.",
    ),
    Code(
        "HW330",
        "A view reads nothing",
        "The SELECT names no table and no view, and the project declares no table whose times it could have.",
        "Declare a table: a view of constants stands over the first one.",
    ),
    Code(
        "HW329",
        "A view's columns cannot be known",
        "The view is left to Spark as it is, and * hides the names of its columns until it runs.",
        "Name the columns, or write CREATE MATERIALIZED VIEW name (a, b, c).",
    ),
)
