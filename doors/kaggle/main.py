"""An agent for ConnectX, written by tengen export kaggle.

The program tengen beside this file plays, in one process per board. If it cannot run, ends or is late, a search in Python takes
over. The file needs only Python's standard library.
"""
import atexit
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time

PLAYER = ""  # the SPEC of tengen's player; "" leaves the game to the search in Python
SIMULATIONS = 0  # per move; 0: as many as time allows
SECONDS = 1.6  # for a move, if actTimeout is 2 or more
SUBSTITUTE = "alphabeta:1600ms"  # plays if PLAYER cannot, for example on another board
RESTARTS = 3  # of a process that has played and then failed


class Process:
    """tengen analyze --stream for one board. Its methods raise OSError or EOFError if the program cannot run or has ended."""

    def __init__(self, folder, game, player):
        threads = min(4, os.cpu_count() or 1)
        arguments = ["analyze", "--stream", "--workers", "1", "--threads", str(threads), "--game", game, "--player", player]
        try:
            self.start(os.path.join(folder, "tengen"), arguments, folder)
        except OSError:  # the file or its file system does not allow execution
            place = tempfile.mkdtemp()
            atexit.register(shutil.rmtree, place, ignore_errors=True)
            copy = shutil.copy(os.path.join(folder, "tengen"), place)
            os.chmod(copy, 0o755)
            self.start(copy, arguments, folder)
        self.answers = queue.Queue()
        self.asked = 0
        self.has_played = False
        threading.Thread(target=read_lines, args=(self.child.stdout, self.answers), daemon=True).start()

    def start(self, program, arguments, folder):
        self.child = subprocess.Popen(
            [program] + arguments, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def column(self, board, mark, seconds, deadline):
        """The column to play, after seconds of search. Raises queue.Empty at the deadline, KeyError if the position is refused."""
        self.asked += 1
        request = {"id": str(self.asked), "cells": board, "to_move": "first" if mark == 1 else "second",
                   "milliseconds": max(1, int(1000 * seconds))}
        if SIMULATIONS:
            request["simulations"] = SIMULATIONS
        self.child.stdin.write(json.dumps(request).encode() + b"\n")
        self.child.stdin.flush()
        while True:
            line = self.answers.get(timeout=max(0.001, deadline - time.monotonic()))
            if not line:
                raise EOFError
            answer = json.loads(line)
            if answer["id"] == request["id"]:  # other answers are late ones for earlier turns
                self.has_played = True
                return int(answer["best"]) - 1


def read_lines(stream, lines):
    """Puts the lines of a stream, and b"" at its end, into a queue."""
    for line in stream:
        lines.put(line)
    lines.put(b"")


class Search:
    """Alpha-beta search with iterative deepening, the last resort.

    Stones are the bits of a number: those of column c begin at c * (rows + 1), from the bottom, and the one above them is 0.
    """

    def __init__(self, columns, rows, inarow):
        self.high, self.inarow = rows + 1, inarow
        self.floor = [1 << c * self.high for c in range(columns)]
        self.room = [((1 << rows) - 1) << c * self.high for c in range(columns)]
        self.order = sorted(range(columns), key=lambda c: abs(2 * c + 1 - columns))
        self.centre = [(self.room[c], 1 + min(c, columns - 1 - c)) for c in range(columns)]

    def wins(self, stones):
        for step in (1, self.high - 1, self.high, self.high + 1):
            runs = stones
            for _ in range(self.inarow - 1):
                runs &= runs >> step
            if runs:
                return True
        return False

    def moves(self, own, other):
        """The legal moves as bits, from the centre column outwards."""
        taken = own | other
        stones = [(taken + self.floor[c]) & self.room[c] for c in self.order]
        return [s for s in stones if s]

    def estimate(self, own, other):
        """An estimate between -1 and 1: the side with stones nearer to the centre is ahead."""
        difference = sum(weight * (bin(own & column).count("1") - bin(other & column).count("1")) for column, weight in self.centre)
        return difference / 1000000

    def value(self, own, other, left, depth, alpha, beta):
        """The value for the side to move: 1 or more for a win, the more the sooner, and negative likewise for a loss.

        After depth plies, it is an estimate. left is the number of empty cells.
        """
        if time.monotonic() > self.deadline:
            raise TimeoutError
        moves = self.moves(own, other)
        if not moves:
            return 0
        if any(self.wins(own | stone) for stone in moves):
            return left
        if depth == 0:
            return self.estimate(own, other)
        for stone in moves:
            alpha = max(alpha, -self.value(other, own | stone, left - 1, depth - 1, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    def column(self, board, mark, deadline):
        """The best column found before the deadline. It sees immediate wins and threats even without time."""
        columns = len(self.floor)
        own, other = (
            sum(self.floor[i % columns] << self.high - 2 - i // columns for i, stone in enumerate(board) if stone == m)
            for m in (mark, 3 - mark))
        moves, left = self.moves(own, other), board.count(0)
        for stone in moves:
            if self.wins(own | stone):
                return self.column_of(stone)
        for depth in range(left):
            self.deadline = deadline if depth > 0 else float("inf")
            try:
                values = []
                for stone in moves:
                    alpha = max(values, default=-left)
                    values.append(-self.value(other, own | stone, left - 1, depth, -left, -alpha))
            except TimeoutError:
                break
            best = values.index(max(values))
            moves.insert(0, moves.pop(best))
            if abs(values[best]) >= 1:
                break
        return self.column_of(moves[0])

    def column_of(self, stone):
        return (stone.bit_length() - 1) // self.high


class Player:
    """Plays on one board."""

    def __init__(self, columns, rows, inarow, folder):
        self.game = "connect4:%d,%d,%d" % (columns, rows, inarow)
        self.folder = folder
        self.players = [PLAYER, SUBSTITUTE] if PLAYER and folder else []
        self.restarts = RESTARTS
        self.process = None
        self.search = Search(columns, rows, inarow)

    def column(self, board, mark, seconds, start, deadline):
        while self.players and time.monotonic() < deadline:
            try:
                if self.process is None:
                    self.process = Process(self.folder, self.game, self.players[0])
                column = self.process.column(board, mark, start + seconds - time.monotonic(), deadline)
                if board[column] == 0:
                    return column
                break
            except (OSError, EOFError, queue.Empty):
                self.lost()
            except (KeyError, ValueError):
                break
        return self.search.column(board, mark, start + seconds)

    def lost(self):
        """Ends a process that failed or is late. The next try restarts it, or starts the next player if it has failed too often."""
        process, self.process = self.process, None
        if process is not None:
            process.child.kill()
        if process is not None and process.has_played and self.restarts > 0:
            self.restarts -= 1
        else:
            self.players.pop(0)


def folder_of(configuration):
    """The folder with the program, None if there is none."""
    for place in (os.path.dirname(configuration.get("__raw_path__") or ""), "/kaggle_simulations/agent", "."):
        place = os.path.abspath(place)
        if os.path.exists(os.path.join(place, "tengen")):
            return place
    return None


players = {}  # by (columns, rows, inarow); both agents of a game may share it


def agent(observation, configuration):
    """The column to play, from 0. Kaggle runs the last callable of a file as the agent, so this one must stay last."""
    start = time.monotonic()
    board = list(observation["board"])
    key = configuration["columns"], configuration["rows"], configuration["inarow"]
    if key not in players:
        players[key] = Player(*key, folder_of(configuration))
    timeout = configuration.get("actTimeout") or 2
    deadline = start + 0.9 * timeout + 0.2 * (observation.get("remainingOverageTime") or 0)
    return players[key].column(board, observation["mark"], min(SECONDS, 0.8 * timeout), start, deadline)
