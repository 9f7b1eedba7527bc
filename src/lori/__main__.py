"""`python -m lori` is the command `lori`."""

from lori.interfaces.commands.main import main

if __name__ == "__main__":
    main()
