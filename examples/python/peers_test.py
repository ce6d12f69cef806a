"""What Gymnasium and PettingZoo themselves check: python3 examples/python/peers_test.py, with tengen on PATH or in the variable TENGEN.

The packages are those that are installed, or else gymnasium.tar.gz and pettingzoo.tar.gz, their sources in a folder PACKAGE-src, in
the folder that the variable PEERS names, or in ../shared/peers beside the project. Without them the exit status is 77.
"""

import contextlib
import io
import os
import re
import sys
import tarfile
import tempfile
import unittest
import warnings

import numpy as np

import tengen_env

unpacked = tempfile.TemporaryDirectory()
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
peers = os.environ.get("PEERS") or os.path.join(root, "..", "shared", "peers")
for package in ("gymnasium", "pettingzoo"):
    archive = os.path.join(peers, package + ".tar.gz")
    if os.path.exists(archive):
        with tarfile.open(archive) as sources:
            sources.extractall(unpacked.name)
        sys.path.append(os.path.join(unpacked.name, package + "-src"))
try:
    import gymnasium
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, seed_test
    from pettingzoo.utils.wrappers import TerminateIllegalWrapper
except ImportError as missing:
    print(f"{missing}: name a folder with its sources by PEERS")
    sys.exit(77)

tengen_env.register()


class PettingZoo(unittest.TestCase):
    def test_api(self):
        for game, options in (("connect4", {}), ("tictactoe", {"values": True}), ("mnk:6,5,4", {"layout": "hwc"})):
            with self.subTest(game), warnings.catch_warnings():
                # AECs with masks are dicts, and masks are empty when a game is over; it knows its own by name
                warnings.filterwarnings("ignore", "Observation is not a NumPy array|Observation space for each agent|Action mask numpy array is all")
                warnings.filterwarnings("ignore", "Observation numpy array is all zeros")  # the second player's, of an empty board
                env = tengen_env.AECEnv(game, **options)
                api_test(env, num_cycles=200)
                env.close()

    def test_seed(self):
        for game in ("connect4", "tictactoe", "gomoku"):
            with self.subTest(game):
                seed_test(lambda: tengen_env.AECEnv(game), num_cycles=50)

    def test_rewards(self):
        env = tengen_env.AECEnv("tictactoe", render_mode="ansi")
        env.reset()
        for action in (0, "a2", 1, "B2", 2):
            waiting = env.possible_agents[env.agent_selection == "player_0"]
            self.assertFalse(env.observe(waiting)["action_mask"].any())
            env.step(action)
        rewards = {}
        for agent in env.agent_iter():
            observation, rewards[agent], terminated, _, _ = env.last()
            self.assertTrue(terminated)
            self.assertEqual(observation["observation"][0].sum(), 3 if agent == "player_0" else 2)  # its own stones
            env.step(None)
        self.assertEqual(rewards, {"player_0": 1, "player_1": -1})
        self.assertIn("3  X  X (X)", env.render())
        env.close()

    def test_illegal(self):
        env = TerminateIllegalWrapper(tengen_env.AECEnv("tictactoe"), illegal_reward=-1)
        env.reset()
        env.step(4)
        env.step(4)
        self.assertTrue(all(env.terminations.values()))
        self.assertEqual(env.rewards["player_1"], -1)
        env.close()


class Gymnasium(unittest.TestCase):
    def test_check_env(self):
        for game, opponent, options in (
            ("connect4", "random", {}), ("connect4", "solver", {"values": True}), ("connect4", "uct:20", {"layout": "hwc"}),
            (None, "net:connect4:4", {}), ("tictactoe", "solver", {"illegal": "lose"}), ("gomoku", "random", {"side": "first"}),
            ("connect4", None, {}),
        ):
            with self.subTest(game=game, opponent=opponent), warnings.catch_warnings():
                warnings.simplefilter("error")
                env = gymnasium.make("tengen-v0", game=game, opponent=opponent, **options)
                check_env(env.unwrapped)
                env.close()

    def test_info(self):
        env = tengen_env.Env("tictactoe", "solver", side="second", values=True, render_mode="rgb_array")
        observation, info = env.reset(seed=1)
        self.assertEqual(info["player"], 1)
        self.assertEqual((info["scores"] != 0).sum(), (info["scores"] < 0).sum())  # against perfect play nothing wins
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"] == 1)
        np.testing.assert_array_equal(observation[:2].sum(axis=0).ravel(), 1 - info["action_mask"])
        self.assertEqual(env.render().shape, (120, 120, 3))
        for action in (9, -1):
            with self.assertRaisesRegex(ValueError, f"action {action} does not exist"):
                env.step(action)
        with self.assertRaisesRegex(ValueError, "render_mode is 'movie'"):
            tengen_env.Env(render_mode="movie")
        env.close()

    def test_vector(self):
        """A vector is what Gymnasium makes of many single environments."""
        options = {"game": "tictactoe", "opponent": "random", "values": True}
        ours = gymnasium.make_vec("tengen-v0", num_envs=5, vectorization_mode="vector_entry_point", **options)
        theirs = gymnasium.vector.SyncVectorEnv([lambda: tengen_env.Env(**options)] * 5)
        self.assertEqual(ours.metadata["autoreset_mode"], theirs.metadata["autoreset_mode"])
        for mine, yours in zip((ours.observation_space, ours.action_space), (theirs.observation_space, theirs.action_space)):
            self.assertEqual(mine, yours)
        rng = np.random.default_rng(1)
        self.same(ours.reset(seed=3), theirs.reset(seed=3))
        finished = 0
        for _ in range(60):
            actions = (rng.random((5, 9)) * ours.unwrapped.action_masks()).argmax(axis=1)
            step = ours.step(actions)
            self.same(step, theirs.step(actions))
            self.assertIn(step[0], ours.observation_space)
            finished += step[2].sum()
        self.assertGreater(finished, 20)
        with self.assertRaisesRegex(ValueError, "action -1 does not exist"):
            ours.step(np.full(5, -1))
        ours.close()
        theirs.close()

    def same(self, ours, theirs):
        """Both are tuples of arrays, of which the last is a dict of them."""
        for mine, yours in zip(ours[:-1], theirs[:-1]):
            np.testing.assert_array_equal(mine, yours)
        self.assertEqual(ours[-1].keys(), theirs[-1].keys())
        for key, value in ours[-1].items():
            np.testing.assert_array_equal(value, theirs[-1][key])

    def test_reset_mask(self):
        env = tengen_env.VectorEnv(2, "tictactoe", auto_reset=False, render_mode="ansi")
        self.assertEqual(env.metadata["autoreset_mode"], gymnasium.vector.AutoresetMode.DISABLED)
        env.reset(seed=1)
        before = env.step(env.action_masks().argmax(axis=1))[0]
        after, _ = env.reset(options={"reset_mask": np.array([False, True])})
        np.testing.assert_array_equal(after[0], before[0])
        self.assertLess(after[1, :2].sum(), before[1, :2].sum())
        self.assertEqual(len(env.render()), 2)
        for error, mask in ((TypeError, "x"), (TypeError, np.array([1, 0])), (TypeError, [True, False]),
                            (ValueError, np.array([True])), (ValueError, np.array([False, False])), (ValueError, np.array([[True, False]]))):
            with self.assertRaisesRegex(error, "reset_mask is "):
                env.reset(options={"reset_mask": mask})
        env.close()

    def test_no_game(self):
        env = tengen_env.AECEnv("tictactoe")
        for call in (env.last, lambda: env.step(0), lambda: env.observe("player_0")):
            with self.assertRaisesRegex(ValueError, "no game has begun: call reset"):
                call()
        with self.assertRaisesRegex(TypeError, "the seed is 1.5: want a whole number"):
            env.reset(seed=1.5)
        env.reset(seed=1)
        with self.assertRaisesRegex(ValueError, "agent is 'me': want one of"):
            env.observe("me")
        for action in (0, 1, 2, 4, 3, 5, 7, 6, 8):
            env.step(action)
        self.assertEqual([str(reward) for reward in env.rewards.values()], ["0.0", "0.0"])
        for _ in range(2):
            env.step(None)
        for call in (env.last, lambda: env.step(0)):
            with self.assertRaisesRegex(ValueError, "the game is over: call reset"):
                call()
        env.close()


class Arguments(unittest.TestCase):
    def test_refused(self):
        """What is no action and no option is named as such, by each class."""
        for kind in (tengen_env.Env, tengen_env.VectorEnv, tengen_env.AECEnv):
            with self.subTest(kind=kind), self.assertRaisesRegex(TypeError, "values is 'no': want True or False"):
                kind(values="no")
        one, many, both = tengen_env.Env("tictactoe"), tengen_env.VectorEnv(2, "tictactoe"), tengen_env.AECEnv("tictactoe")
        for env in (one, many):
            with self.subTest(env=env), self.assertRaisesRegex(ValueError, "no game has begun: call reset"):
                env.action_masks()
        for env in (one, many, both):
            env.reset(seed=1)
            with self.subTest(env=env), self.assertRaisesRegex(TypeError, "options are 3"):
                env.reset(options=3)
        for env in (one, many):
            with self.subTest(env=env), self.assertRaisesRegex(ValueError, "there is no option 'mask'"):
                env.reset(options={"mask": 1})
        for env in (one, both):
            with self.assertRaisesRegex(ValueError, 'move 1, "x", is not legal here'):
                env.step("x")
            for action in (None, 1.5, True, [1]):
                with self.subTest(env=env, action=action), self.assertRaisesRegex(TypeError, "the action is|integer"):
                    env.step(action)
            with self.assertRaisesRegex(ValueError, "action 4294967296 does not exist"):
                env.step(2**32)
        for actions in ("x", None, [None, 1], [0.5, 1], [True, False]):
            with self.subTest(actions=actions), self.assertRaisesRegex(TypeError, "want integers"):
                many.step(actions)
        with self.assertRaisesRegex(ValueError, "shape"):
            many.step([[0, 1]])
        for env in (one, many, both):
            env.close()


class Documentation(unittest.TestCase):
    def test_examples(self):
        with open(os.path.join(root, "docs", "interfaces", "environments.md")) as file:
            examples = re.findall("```python\n(.*?)```", file.read(), re.DOTALL)
        self.assertTrue(examples)
        names = {}  # that go from one to the next, as in a notebook
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for example in examples:
                exec(example, names)
        for expected in ("(4, 6, 7) int8", "[-2 -1  0  1  0 -1 -2]", "b2 "):
            self.assertIn(expected, printed.getvalue())
        self.assertEqual(names["picture"].shape, (240, 280, 3))


if __name__ == "__main__":
    unittest.main()
