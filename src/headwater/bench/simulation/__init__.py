"""Runs without Spark, on a clock that jumps: thousands of hours in a minute.

The scheduler, the executor, the run loop, the captures' threads' code and housekeeping are the real ones.
Spark, storage and time are not:

    catalogs      random views over sources, shared stages and each other, at sites
    sources       watermarks that are live, quiet, stopped, late and catching up
    faults        what is wrong just now: stages that fail, broken logs, silent sites
    fake_runner   pushes that take simulated time and have their effect at its end
    clock         sleeping jumps to the next instant at which anything happens
    events        what happens, at random: faults, lags, clock steps, views added, dropped and changed
    laws          what must hold whatever happens
    simulation    one run of a seed; many runs
"""
