"""Run a command: exit codes 0, 1, 2, and every error as one line on stderr.

  0  done
  1  it could not be done (the card file is unusable, a disk is full, ...)
  2  it was asked for wrongly (usage, impossible states, unknown cards, ...); the line names
     the help that lists what may be asked for
130  interrupted
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer
from typer.core import TyperGroup

from engine.errors import InputError, TriadError

FAILED, MISUSED, INTERRUPTED = 1, 2, 130


def run(command: TyperGroup, name: str, arguments: list[str] | None = None) -> NoReturn:
    """Run `command` with these arguments, or this process's, and exit."""
    given = sys.argv[1:] if arguments is None else arguments
    if sys.stdout is None:
        fail(name, "standard output is closed", FAILED)
    try:
        code = command(args=arguments, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        fail(name, f"{error} (see {invoked(command, name, given)} --help)", MISUSED)
    except TriadError as error:
        fail(name, str(error), FAILED)
    except (KeyboardInterrupt, typer.Abort):
        fail(name, "interrupted", INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has gone; there is nobody to tell
        discard_output()
        sys.exit(FAILED)
    except OSError as error:
        discard_output()
        fail(name, f"{error.filename or 'input or output'}: {error.strerror}", FAILED)
    except MemoryError as error:
        fail(name, f"not enough memory: {error}", FAILED)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        shown_by = context.command_path if context else invoked(command, name, given)
        fail(name, f"{misuse_text(error)} (see {shown_by} --help)", error.exit_code)
    if code == INTERRUPTED:
        fail(name, "interrupted", INTERRUPTED)
    sys.exit(code)


def misuse_text(error: typer.TyperException) -> str:
    """Return what is wrong on the command line; of an option's value as of any other.

    What it needs is loaded here, because commands that are used rightly start without it.
    """
    from pydantic import ValidationError

    from console.validation import problems_of

    if isinstance(error, typer.BadParameter):
        cause = error.__cause__
        if isinstance(cause, ValidationError) and error.param:
            option = error.param.opts[0]
            problems = problems_of(cause.errors())
            return "; ".join(str(problem._replace(field=option)) for problem in problems)
        if not error.param and not error.param_hint:  # ours
            return error.message
    return error.format_message()


def invoked(command: TyperGroup, name: str, arguments: list[str]) -> str:
    """Return the command that was asked, whose help lists its options: `precompute export`.

    Options stand behind its name (see `refuse_before`), so a word further on is a value.
    """
    return " ".join([name, *[word for word in arguments[:1] if word in command.commands]])


def discard_output() -> None:
    """Let what is still buffered for stdout go nowhere, or the interpreter fails on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(name: str, message: str, code: int) -> NoReturn:
    """Say what went wrong in one line and exit."""
    print(f"{name}: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201
    sys.exit(code)
