"""When to push what, to which time. Pure: times, watermarks and forecasts in, pushes to start out.

due        when a view must be pushed, and how far
groups     which views can be pushed to one time
looks      when to look at the views again
backoff    how long to wait after a failure
schedule   all of it together: decide(...)
"""
