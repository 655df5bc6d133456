"""Codes of Headwater's inner parts.  A user should never see most of them."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

_REPORT = "Please report it with the statement that led to it."

CODES = (
    Code(
        "HW790",
        "A linear program was not solved",
        "The solver ended without an answer to the allotment of probes. This is a bug.",
        "Please report it with the join plan.",
    ),
    Code(
        "HW901",
        "A stage has no delta rule",
        "A kind of stage was planned that cannot be kept by deltas. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW902",
        "A delta of a delta",
        "A node of delta plans was asked for its own delta. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW903",
        "A negative weight in an aggregate",
        "An aggregate that is not linear met a row that was deleted more often than inserted. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW904",
        "A pass changed a plan's columns",
        "A rewrite of a plan must keep its schema. This is a bug; the message names the pass.",
        _REPORT,
    ),
    Code(
        "HW905",
        "A pass broke a plan",
        "A rewrite left a plan that is not well-formed. This is a bug; the message names the pass.",
        _REPORT,
    ),
    Code(
        "HW908",
        "An index or a view would differ from call to call",
        "A parameter or a volatile function stands in an index or a view of a bounded query. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW910",
        "A value cannot be cast",
        "The reference evaluator, like Spark in ANSI mode, refuses to cast the value.",
        "Use try_cast, or correct the value.",
    ),
    Code("HW911", "The evaluator cannot cast to a type", "The reference evaluator lacks the type.", _REPORT),
    Code("HW912", "Division by zero", "A divisor is zero.", "Use nullif(x, 0) or try_divide."),
    Code(
        "HW913",
        "An unknown unit of date_trunc",
        "The reference evaluator does not know the unit.",
        "Use year, quarter, month, week, day, hour, minute or second.",
    ),
    Code(
        "HW914",
        "An expression names an unknown column",
        "The rows that the reference evaluator was given do not have the column.",
        _REPORT,
    ),
    Code(
        "HW915",
        "The evaluator does not know a function",
        "The reference evaluator lacks a function or a field of a struct.",
        _REPORT,
    ),
    Code("HW916", "The evaluator does not know an aggregate", "The reference evaluator lacks it.", _REPORT),
    Code("HW917", "A relation is missing", "The reference evaluator was not given a relation.", _REPORT),
    Code("HW918", "The SQL raises an error", "raise_error was computed.", "Look at the rows it names."),
    Code(
        "HW920",
        "An expression's text cannot be read",
        "The text of an expression in the language of EXPLAIN is not well-formed.",
        "Correct it at the column that the message names.",
    ),
    Code(
        "HW921",
        "A plan's text cannot be read",
        "The text of a plan in the language of EXPLAIN is not a tree.",
        "Indent inputs below their node; give a shared node before it is used.",
    ),
    Code(
        "HW922",
        "A plan's text names an unknown node",
        "There is no node of that name with that number of inputs.",
        "Correct the name or the indentation.",
    ),
    Code(
        "HW923",
        "A plan graph's text cannot be read",
        "A line is neither a relation, nor a vertex, nor an edge of a plan graph.",
        "Correct the line that the message shows.",
    ),
    Code(
        "HW930",
        "A plan graph has a circle",
        "The edges of a plan do not lead anywhere. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW931",
        "A plan does not end in one relation",
        "The plan of a view must end in the view. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW909",
        "A window does not fit into its SELECT",
        "The conditions of a WINDOW were not found where they were put. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW906",
        "An expression of a query in a view's plan",
        "Parameters, subqueries and columns of named sources belong to parameterised queries. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW919",
        "A now() without a time",
        "A plan that Spark runs has the time that is pushed to in the place of now(). This is a bug.",
        _REPORT,
    ),
    Code(
        "HW924",
        "A stage that holds nothing would be read",
        "The stage was emptied because its view was recomputed as a whole; it is computed anew before it is"
        " read. A push that comes too early is repeated as of a later time; if this stays, it is a bug.",
        _REPORT,
    ),
    Code(
        "HW907",
        "An aggregate without partial states",
        "Only aggregates that are sums over rows are kept as partial states. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW932",
        "A union of a wrong number of halves",
        "A union in a plan has two halves. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW937",
        "A value that the store cannot hold",
        "Keys and rows of the store hold SQL's scalar values. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW933", "Nothing makes a relation", "A plan reads what no edge of it makes. This is a bug.", _REPORT
    ),
    Code(
        "HW935", "A relation is made twice", "Two edges of a plan make one relation. This is a bug.", _REPORT
    ),
    Code(
        "HW936",
        "A join of two sites",
        "A plan joins relations of different sites, and nothing copies one to the other. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW948",
        "A shared stage lacks what a view needs",
        "A view was woven into a stage that does not hold its keys, windows or states. This is a bug.",
        _REPORT,
    ),
    Code("HW990", "A type has no Arrow type", "A column's type cannot be stored. This is a bug.", _REPORT),
    Code(
        "HW991",
        "A view's finish is not row-wise",
        "What turns stored rows into a view's rows must work row by row. This is a bug.",
        _REPORT,
    ),
    Code(
        "HW999",
        "An error that nobody foresaw",
        "Headwater met an exception that it does not know. This is a bug.",
        "Please report it with the traceback that is printed on standard error.",
    ),
)
