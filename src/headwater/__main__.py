"""`python -m headwater`: the command line, where the folder of scripts is not on the PATH."""

from headwater.cli.app import main

if __name__ == "__main__":
    main()
