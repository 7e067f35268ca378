"""The commands for people: play, advise, match, simulate, serve; loaded when they are named."""

from __future__ import annotations

from console.commands import Named

COMMANDS = (
    Named("play", "app.cli.play:play", "Play a game in the terminal."),
    Named(
        "advise",
        "app.cli.advise:advise",
        "Say what to play when the opponent's hand is hidden.",
    ),
    Named(
        "match",
        "app.cli.match:match_games",
        "Play two players against each other, each deal from both sides.",
    ),
    Named(
        "simulate",
        "app.cli.simulate:simulate_games",
        "Play random games in compiled code and report the rate.",
    ),
    Named(
        "serve",
        "app.cli.serve:serve_command",
        "Serve answers over HTTP, from the database and by search.",
    ),
)
