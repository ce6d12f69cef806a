"""Plays games of ConnectX as Kaggle's environment does, and prints what came of them as JSON.

    connectx.py AGENT GAMES SECONDS OVERAGE

AGENT is a main.py. It plays GAMES games with SECONDS for a move and OVERAGE seconds to lend from in a whole game: in
turn on each of the boards, first and second, against an opponent that moves at random and one that takes wins and prevents losses.
"""
import contextlib
import io
import json
import random
import sys
import time

BOARDS = [(7, 6, 4), (6, 5, 4), (9, 7, 5)]  # columns, rows, in a row


class Struct(dict):
    """The environment's dictionaries have their keys as attributes, too."""

    __getattr__ = dict.__getitem__


def load(path):
    """The agent of a file: the last callable, of a program that does not know of its file."""
    names = {}
    with open(path) as f, contextlib.redirect_stdout(io.StringIO()):
        exec(compile(f.read(), "<string>", "exec"), names)
    last = [value for value in names.values() if callable(value)][-1]

    def agent(observation, configuration):
        configuration["__raw_path__"] = path
        return last(*[observation, configuration][:last.__code__.co_argcount])

    return agent, names


def free(board, columns):
    return [c for c in range(columns) if board[c] == 0]


def drop(board, column, mark, columns):
    """The board with one more stone, and its cell."""
    cell = max(i for i in range(column, len(board), columns) if board[i] == 0)
    return board[:cell] + [mark] + board[cell + 1:], cell


def wins(board, cell, configuration):
    """Whether the stone on a cell is one of enough in a row."""
    columns, rows = configuration.columns, configuration.rows
    row, column = divmod(cell, columns)

    def along(down, right):
        r, c, n = row + down, column + right, 0
        while 0 <= r < rows and 0 <= c < columns and board[r * columns + c] == board[cell]:
            r, c, n = r + down, c + right, n + 1
        return n

    return any(1 + along(down, right) + along(-down, -right) >= configuration.inarow
               for down, right in ((1, 0), (0, 1), (1, 1), (1, -1)))


def at_random(observation, configuration):
    return random.choice(free(observation.board, configuration.columns))


def careful(observation, configuration):
    columns = free(observation.board, configuration.columns)
    for mark in (observation.mark, 3 - observation.mark):
        for column in columns:
            if wins(*drop(observation.board, column, mark, configuration.columns), configuration):
                return column
    return random.choice(columns)


def play(agents, configuration, overage, seen):
    """Plays a game and returns the reward of the first agent. What the one under test did wrong is added to what was seen."""
    board, overage = [0] * (configuration.columns * configuration.rows), [overage, overage]
    for step in range(len(board)):
        agent, mark = agents[step % 2], step % 2 + 1
        observation = Struct(board=board[:], mark=mark, step=step, remainingOverageTime=overage[mark - 1])
        start = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            column = agent(observation, Struct(configuration))
        late = time.perf_counter() - start - configuration.actTimeout
        tested = agent not in (at_random, careful)
        if tested:
            seen["moves"] += 1
            seen["slowest"] = max(seen["slowest"], late + configuration.actTimeout)
            seen["said"] += said.getvalue()
        if late > overage[mark - 1]:
            seen["timeouts"] += tested
            return 1 if mark == 2 else -1
        overage[mark - 1] -= max(0, late)
        if type(column) is not int or column not in free(board, configuration.columns):
            seen["illegal"] += [[board, mark, column]] if tested else []
            return 1 if mark == 2 else -1
        board, cell = drop(board, column, mark, configuration.columns)
        if wins(board, cell, configuration):
            return 1 if mark == 1 else -1
    return 0


def main(path, games, seconds, overage):
    random.seed(1)
    agent, names = load(path)
    seen = {"moves": 0, "slowest": 0, "said": "", "timeouts": 0, "illegal": [], "won": 0, "drawn": 0, "lost": 0}
    for game in range(games):
        columns, rows, inarow = BOARDS[game // 4 % len(BOARDS)]
        configuration = Struct(columns=columns, rows=rows, inarow=inarow, actTimeout=seconds, episodeSteps=1000)
        agents, sign = [agent, (at_random, careful)[game % 2]], 1
        if game // 2 % 2:
            agents, sign = agents[::-1], -1
        reward = sign * play(agents, configuration, overage, seen)
        seen["won" if reward > 0 else "lost" if reward < 0 else "drawn"] += 1
    # Of a packed agent: how many of its moves the program was asked for, and by whom on each board.
    played = {"%dx%dx%d" % board: player for board, player in names.get("players", {}).items()}
    seen["asked"] = sum(p.process.asked for p in played.values() if p.process)
    seen["players"] = {board: p.players for board, p in played.items()}
    print(json.dumps(seen))


main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
