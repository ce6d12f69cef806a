"""Tests of tengen_env with NumPy alone: python3 examples/python/tengen_env_test.py, with tengen on PATH or in the variable TENGEN."""

import gc
import os
import subprocess
import sys
import unittest
import unittest.mock

import numpy as np

import tengen_env
from tengen_env import Games, TengenError


def legal(seen, rng):
    """A random legal move of each game, 0 where it is over."""
    return (rng.random(seen.masks.shape) * seen.masks).argmax(axis=1)


class GamesTest(unittest.TestCase):
    def test_arrays(self):
        options = {"seed": 1, "auto_reset": True}
        with Games("connect4:5,4,3", 6, **options) as games, Games("connect4:5,4,3", 6, layout="hwc", **options) as last:
            self.assertEqual((games.game, games.n, games.actions, games.shape, last.shape), ("connect4:5,4,3", 6, 5, (4, 4, 5), (4, 5, 4)))
            rng, seen, finished = np.random.default_rng(1), games.reset(), 0
            last.reset()
            for _ in range(60):
                actions = legal(seen, rng)
                before, seen = seen, games.step(actions)
                np.testing.assert_array_equal(last.step(actions).observations, np.moveaxis(seen.observations, 1, -1))
                finished += seen.terminated.sum()
                self.assertEqual([a.dtype for a in seen], [np.int8, np.int8, np.int8, np.bool_, np.uint8])
                self.assertEqual([a.shape for a in seen], [(6, 4, 4, 5), (6, 5), (6,), (6,), (6,)])
                self.assertTrue(all(a.flags.writeable for a in seen[:4]))
                own, opponent, latest, first = np.moveaxis(seen.observations, 1, 0)
                self.assertFalse((own & opponent).any())
                np.testing.assert_array_equal(first[:, 0, 0], 1 - seen.players)
                begun = before.terminated
                np.testing.assert_array_equal((own + opponent).sum(axis=(1, 2)), ~begun * (1 + before.observations[:, :2].sum(axis=(1, 2, 3))))
                np.testing.assert_array_equal(latest.sum(axis=(1, 2)), ~begun)
                full = (own + opponent)[:, 0, :]
                np.testing.assert_array_equal(seen.masks, ~seen.terminated[:, None] * (1 - full))
                self.assertTrue((seen.rewards[~seen.terminated] == 0).all())
                self.assertFalse(seen.rewards[begun].any())
            self.assertGreater(finished, 10)

    def test_views(self):
        with Games("tictactoe") as games:
            games.reset()
            for action in (0, 4):
                seen = games.step([action])
            first, second = games.observe(0), games.observe(1)
            np.testing.assert_array_equal(first.observations, seen.observations)
            np.testing.assert_array_equal(second.observations[:, :2], first.observations[:, 1::-1])
            self.assertEqual((first.players[0], second.players[0]), (0, 1))

    def test_opponents(self):
        for opponent, game in (("random", "tictactoe"), ("solver", "tictactoe"), ("uct:20", "mnk:5,5,4"), ("net:connect4:4", None)):
            with self.subTest(opponent), Games(game, 4, opponent=opponent, side="second", seed=1, auto_reset=True) as games:
                self.assertEqual(games.opponent, opponent)
                rng, seen, rewards = np.random.default_rng(1), games.reset(), 0
                for _ in range(40):
                    self.assertTrue((seen.players == 1).all())
                    stones = seen.observations[~seen.terminated, :2].sum(axis=(2, 3))
                    np.testing.assert_array_equal(stones[:, 0] + 1, stones[:, 1])
                    seen = games.step(legal(seen, rng))
                    rewards += seen.rewards.sum()
                if opponent == "solver":
                    self.assertLess(rewards, 0)

    def test_names(self):
        with Games("breakthrough:3,5", 3) as games:
            games.reset()
            self.assertEqual(list(games.legal(2).items())[:2], [(28, "a2a3"), (29, "a2b3")])
            games.step(["a2a3", None, 28])
            games.step(("a4b3", -1, np.int64(29)))
            self.assertEqual([games.moves(i) for i in range(3)], ["a2a3 a4b3", "", "a2a3 a4b3"])
            for error, text, action in ((ValueError, 'game 2: move 1, "a4", is not legal here', "a4b3"), (TypeError, "an action is 1.5: want", 1.5)):
                with self.assertRaisesRegex(error, text):
                    games.step(["b1a2", None, action])
            self.assertEqual(games.moves(0), "a2a3 a4b3")

    def test_seeds(self):
        def play(games):
            seen, rng = [games.reset()], np.random.default_rng(1)
            for _ in range(30):
                seen.append(games.step(legal(seen[-1], rng)))
            return np.array([s.observations for s in seen])

        options = {"opponent": "random", "auto_reset": True}
        with Games("tictactoe", 3, seed=5, **options) as games, Games("tictactoe", 3, seed=5, **options) as same:
            first = play(games)
            np.testing.assert_array_equal(first, play(same))
            self.assertTrue((first != play(games)).any())
            several = games.reset(seed=100).observations
        with Games("tictactoe", **options) as single:
            for i in range(3):
                np.testing.assert_array_equal(single.reset(seed=100 + i).observations[0], several[i])

    def test_refusals_change_nothing(self):
        with Games("tictactoe", 2) as games:
            with self.assertRaisesRegex(ValueError, "reset all of them first"):
                games.step([0, 0])
            games.reset()
            before = games.step([4, 0])
            for error, text, call in (
                (ValueError, "game 0: action 4 is illegal", lambda: games.step([4, 1])),
                (ValueError, "action 9 does not exist", lambda: games.step([1, 9])),
                (ValueError, "action 1099511627776 does not exist: there are 0 to 8", lambda: games.step([1, 2**40])),
                (ValueError, "1 actions for 2 games", lambda: games.step([1])),
                (ValueError, "a game is 2: want 0 to 1", lambda: games.reset(which=[2])),
                (TypeError, "a game is True: want a whole number", lambda: games.reset(which=[True])),
                (ValueError, "the seed is -1: want 0 to ", lambda: games.reset(seed=-1)),
                (TypeError, "the seed is 1.5: want a whole number", lambda: games.reset(seed=1.5)),
                (TypeError, "actions are float64: want integers", lambda: games.step([1.0, 2.0])),
                (TypeError, "actions are float64: want integers", lambda: games.step([1, float("nan")])),
                (ValueError, "actions have the shape .1, 2.: want one axis", lambda: games.step([[1, 2]])),
                (ValueError, "actions have the shape ..: want one axis", lambda: games.step(3)),
                (ValueError, "the player is -1: want 0 to 1", lambda: games.observe(-1)),
                (TypeError, "the player is True: want a whole number", lambda: games.observe(True)),
            ):
                with self.assertRaisesRegex(error, text):
                    call()
            np.testing.assert_array_equal(games.step([None, -1]).observations, before.observations)
            again = games.reset(which=[1])
            self.assertEqual(again.observations[:, :2].sum(axis=(1, 2, 3)).tolist(), [1, 0])
        with self.assertRaisesRegex(ValueError, "layout is 'nhwc'"):
            Games(layout="nhwc")
        with self.assertRaisesRegex(TypeError, "auto_reset is 'no'"):
            Games(auto_reset="no")
        with self.assertRaisesRegex(ValueError, "illegal is None: want"):
            Games(illegal=None)
        with self.assertRaisesRegex(TypeError, "the number of games is 1.5: want a whole number"):
            Games("tictactoe", 1.5)

    def test_actions_of_any_width(self):
        for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
            with self.subTest(kind), Games("tictactoe", 2) as games:
                games.reset()
                self.assertEqual(games.step(np.array([4, 0], kind)).masks.sum(axis=1).tolist(), [8, 8])
                with self.assertRaisesRegex(ValueError, "game 0: action 4 is illegal"):
                    games.step(np.array([4, 1], kind))

    def test_illegal_moves_can_lose(self):
        with Games("tictactoe", illegal="lose") as games:
            games.reset()
            games.step([4])
            seen = games.step([4])
            self.assertEqual((seen.rewards[0], seen.terminated[0], seen.masks.any()), (-1, True, False))

    def test_shown(self):
        with Games("tictactoe") as games:
            games.reset()
            for action in (0, 3, 1, 4, 2):
                games.step([action])
            self.assertEqual(games.moves(), "a3 a2 b3 b2 c3")
            self.assertEqual(games.moves(np.int64(0)), games.moves())
            self.assertEqual(games.text(np.int64(0)), games.text())
            self.assertIn("3  X  X (X)\n2  O  O  .\n", games.text())
            shown = games.picture()
            self.assertEqual((shown.shape, shown.dtype), ((120, 120, 3), np.uint8))
            centre = lambda row, column: tuple(shown[40 * row + 20, 40 * column + 20])
            self.assertEqual(centre(0, 0), tuple(tengen_env.DARK))
            self.assertEqual(centre(1, 1), tuple(tengen_env.LIGHT))
            self.assertEqual(centre(2, 2), tuple(tengen_env.WOOD))
            self.assertEqual(centre(0, 2), tuple(tengen_env.MARK))  # the last move
            self.assertEqual(tuple(shown[20, 20 - 16]), tuple(tengen_env.MARK))  # a ring
            games._stones = False  # as in games that put none
            planes = games.picture()
            self.assertEqual((planes.shape, planes.dtype), ((3 * 16, 4 * 4 * 16, 3), np.uint8))
            self.assertEqual(planes[:, : 3 * 16].sum(), 3 * 3 * 16 * 16 * 255)  # the first player's stones

    def test_scores(self):
        with Games("tictactoe") as games:
            games.reset()
            for action in (0, 3, 1, 4):
                games.step([action])
            scores = games.scores()
            self.assertEqual(scores.shape, (1, 9))
            self.assertEqual(scores[0].argmax(), 2)
            self.assertTrue(scores[0, 2] > 0 > scores[0, 6])


class ChildTest(unittest.TestCase):
    def test_only_numpy(self):
        self.assertFalse({"gymnasium", "pettingzoo"} & set(sys.modules))
        with self.assertRaises(AttributeError):
            tengen_env.Nothing
        with unittest.mock.patch.dict(sys.modules, {"gymnasium": None, "pettingzoo": None}):
            with self.assertRaisesRegex(ImportError, "Env needs gymnasium: pip install gymnasium"):
                tengen_env.Env
            with self.assertRaisesRegex(ImportError, "AECEnv needs pettingzoo"):
                tengen_env.AECEnv

    def test_missing_program(self):
        with self.assertRaisesRegex(TengenError, "there is no program /nowhere/tengen: build it with"):
            Games(tengen="/nowhere/tengen")

    def test_wrong_use(self):
        with self.assertRaisesRegex(TengenError, 'exit status 2: tengen: game "chess" is unknown'):
            Games("chess")

    def test_close(self):
        games = Games("tictactoe")
        process = games._child._process
        games.close()
        games.close()
        self.assertIsNotNone(process.returncode)  # so it has been waited for
        with self.assertRaisesRegex(TengenError, "the environment is closed"):
            games.reset()

    def test_forgotten(self):
        games = Games("tictactoe")
        process = games._child._process
        del games
        gc.collect()
        self.assertIsNotNone(process.returncode)

    def test_exit(self):
        script = "import tengen_env; games = tengen_env.Games('tictactoe'); print(games._child._process.pid)"
        here = os.path.dirname(os.path.abspath(__file__))
        run = subprocess.run([sys.executable, "-c", script], cwd=here, capture_output=True, check=True, text=True)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(run.stdout), 0)

    def test_killed(self):
        games = Games("tictactoe")
        games.reset()
        games._child._process.kill()
        with self.assertRaisesRegex(TengenError, "tengen has ended with exit status -9"):
            games.reset()
        with self.assertRaisesRegex(TengenError, "the environment is closed"):
            games.reset()

    def test_interrupt(self):
        """Ctrl-C while an answer is awaited leaves it behind, whole or in part; the next call gets its own."""
        with Games("tictactoe") as games:
            games.reset()
            child = games._child
            read = child._read

            def interrupted(taken):
                def reading():
                    child._process.stdout.read(taken)
                    child._read = read
                    raise KeyboardInterrupt

                return reading

            for action, taken in ((0, 0), (1, 10)):
                child._read = interrupted(taken)
                with self.assertRaises(KeyboardInterrupt):
                    games.step([action])
            self.assertEqual(games.moves(), "a3 b3")
            self.assertEqual(games.step([2]).observations[0, :2].sum(), 3)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_processes(self):
        with Games("tictactoe") as games:
            games.reset()
            self.assertNotEqual(os.getpgid(games._child._process.pid), os.getpgrp())  # whose Ctrl-C it does not get
            pid = os.fork()
            if pid == 0:
                try:
                    games.reset()
                except TengenError as error:
                    os._exit("belongs to another process" in str(error))
                os._exit(2)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 1)
            games.reset()

    def test_busy(self):
        """A child that thinks for very long ends with the environment all the same."""
        games = Games("gomoku", opponent="uct:10000000", side="second")
        process = games._child._process
        process.stdin.write(b'{"reset":{}}\n')
        process.stdin.flush()
        games.close()
        self.assertIsNotNone(process.returncode)


if __name__ == "__main__":
    unittest.main()
