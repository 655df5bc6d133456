"""Codes of the HTTP server, its keys and its pages."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW960",
        "The server cannot listen there",
        "The address or the port is in use, or this machine has no such address.",
        "Choose another --port or --host, or leave --port out: then a free one is taken.",
    ),
    Code(
        "HW961",
        "Other machines may only ask with a key",
        "The server was to listen on an address that other machines reach, and the project has no API key.",
        "headwater key add DIR NAME --role query, or listen on 127.0.0.1.",
    ),
    Code(
        "HW962",
        "A request has a parameter that cannot be used",
        "A parameter is missing, unknown, of the wrong type or out of range.",
        "/openapi.json lists the parameters of every route, with their types.",
    ),
    Code(
        "HW963",
        "A cursor cannot be used",
        "The cursor is not one that this view gave, or the view's columns have changed since.",
        "Begin again without a cursor.",
    ),
    Code(
        "HW964",
        "There is no such route",
        "The path is none that the server answers, or not with this method.",
        "/openapi.json lists the routes. A query that is not bounded has none.",
    ),
    Code(
        "HW965",
        "A key is needed",
        "The project has API keys, and the request has none, an unknown or a revoked one.",
        "Send the header `Authorization: Bearer KEY`; `headwater key add DIR NAME` makes a key.",
    ),
    Code(
        "HW966",
        "A key does not have this right",
        "The key's role, or the views and queries it is for, do not include what was asked.",
        "Ask with another key, or make one: headwater key add DIR NAME --role query --view VIEW.",
    ),
    Code(
        "HW967",
        "Too many requests",
        "A key or an address asked more often than the server allows.",
        "Wait as long as Retry-After says, or start the server with a higher --rate.",
    ),
    Code(
        "HW968",
        "A request is too large",
        "No route takes a body of more than some kilobytes.",
        "Send parameters in the address.",
    ),
    Code(
        "HW969",
        "A request for another host",
        "The Host header names a machine that this server is not known as, as when a web page of another site"
        " makes a browser ask (DNS rebinding).",
        "Ask by the address that the server printed, or start it with --allow-host NAME.",
    ),
    Code(
        "HW970",
        "The answer took too long",
        "The server gives up a request after some seconds, so that others are answered.",
        "Ask for less: a shorter period, fewer rows. Try again if the machine was busy.",
    ),
    Code(
        "HW971",
        "A reader of changes is too slow",
        "The reader did not take what was sent within some seconds, and nothing is kept for it in memory.",
        "Connect again with the last id as Last-Event-ID: nothing is lost while history is kept.",
    ),
    Code(
        "HW972",
        "Too many readers of changes",
        "The server follows so many views for readers already.",
        "Try again later, or let several readers share a connection.",
    ),
    Code(
        "HW973",
        "A name of a key cannot be used",
        "Another key has that name, or there is no key of that name.",
        "headwater key list DIR shows the keys.",
    ),
    Code(
        "HW974",
        "The server failed",
        "A bug of ours: the traceback is in logs/serve.log in the warehouse.",
        "Please report it.",
    ),
    Code(
        "HW975",
        "The file of API keys is damaged",
        "keys.json in the warehouse is not what `headwater key add` writes.",
        "Restore it from a backup; or delete it, and make the keys anew.",
    ),
    Code(
        "HW976",
        "A change that another site may have asked for",
        "The request is not JSON, or a browser says that a page of another site made it.",
        "Send Content-Type: application/json, and no Origin but the server's own.",
    ),
    Code(
        "HW977",
        "Rows of this source do not come over HTTP",
        "The source is captured from files, a database or a stream; a row put in by hand would not stay.",
        "Mend the row where it comes from; then headwater dead-letters DIR TABLE --retry.",
    ),
    Code(
        "HW978",
        "Nothing is changed while the project's files are wrong",
        "The server goes on with what the files said before, and cannot tell what a change would mean now.",
        "Mend the files, as /status says, and ask again.",
    ),
    Code(
        "HW979",
        "Nobody is there to verify a view",
        "Verifying recomputes a view on Spark, which the server never starts: a run does it. None is alive.",
        "Start the run and ask again, or type headwater verify DIR VIEW.",
    ),
)
