"""tengen's games as reinforcement learning environments, for NumPy, Gymnasium and PettingZoo.

    from tengen_env import Env
    env = Env("connect4", opponent="uct:1000")
    observation, info = env.reset(seed=1)
    while not terminated: ...

Games     n games stepped together, with NumPy alone
Env       gymnasium.Env: one side of a game against any player of tengen
VectorEnv gymnasium.vector.VectorEnv: several such games, stepped together
AECEnv    pettingzoo.AECEnv: both sides of a game
register  makes gymnasium.make("tengen-v0", game=..., opponent=...) and make_vec work

Each environment starts the program tengen, which has the rules, and talks to it through pipes (docs/interfaces/environments.md). The
argument tengen or the environment variable TENGEN names the program; otherwise it must be on PATH. Use an environment only in the
process that made it, and in one thread at a time.
"""

import base64
import binascii
import functools
import json
import math
import operator
import os
import secrets
import shutil
import subprocess
import tempfile
import weakref
from typing import NamedTuple

import numpy as np

__all__ = ["AECEnv", "Env", "Games", "Observed", "TengenError", "VectorEnv", "picture", "register"]

PROTOCOL = 1


class TengenError(RuntimeError):
    """The program tengen was not found, has ended, or gave an invalid answer."""


class Observed(NamedTuple):
    """What the caller sees of n games after a reset or a step. Its arrays are new."""

    observations: np.ndarray  # int8 [n, planes, rows, columns], or channels last
    masks: np.ndarray  # int8 [n, actions], 1 for legal moves; all 0 when a game is over
    rewards: np.ndarray  # int8 [n], 1, 0 or -1 for the side that made the step
    terminated: np.ndarray  # bool [n]
    players: np.ndarray  # uint8 [n], the player whose view is shown: 0 the first, 1 the second


class Games:
    """n games of one kind, stepped together.

    game       name, such as "connect4", "gomoku" or "mnk:20,20,5"; None: the one that the opponent's model is for
    n          number of games
    opponent   SPEC of a player that answers within each step, such as "random", "uct:1000", "solver" or "net:PATH"; None: the caller
               plays both sides in turn
    side       what the caller plays against an opponent: "first", "second" or "random"
    seed       of all random choices; None: unpredictable. With seed s, game i is the same as a single game with seed s+i.
    auto_reset whether the step after a game's end ignores its action and begins the next game
    illegal    what an illegal move does: "error" raises ValueError and changes nothing, "lose" loses the game
    layout     of observations: "chw", channels first, or "hwc"
    tengen     path of the program
    flags      more flags for `tengen env`, such as ["--set", "search.c_init=2"]

    An impossible request raises ValueError and changes no game.
    """

    def __init__(self, game="connect4", n=1, *, opponent=None, side="random", seed=None, auto_reset=False, illegal="error",
                 layout="chw", tengen=None, flags=()):
        if layout not in ("chw", "hwc"):
            raise ValueError(f'layout is {layout!r}: want "chw" or "hwc"')
        n, seed = _whole("the number of games", n, 1, 65536), _seed(seed)
        if illegal not in ("error", "lose"):
            raise ValueError(f'illegal is {illegal!r}: want "error" or "lose"')
        _check_flag("auto_reset", auto_reset)
        options = {"game": game, "games": n, "opponent": opponent, "side": side, "illegal": illegal,
                   "seed": secrets.randbits(63) if seed is None else seed}
        arguments = [f"--{name}={value}" for name, value in options.items() if value is not None]
        self._child = _Child(_find(tengen), ["env", *arguments, *["--auto-reset"] * auto_reset, *flags])
        about = self._child.ask(describe=True)
        if about["protocol"] != PROTOCOL:
            self.close()
            raise TengenError(f"tengen speaks version {about['protocol']} of the protocol, this file {PROTOCOL}: take both from one release")
        self.game, self.opponent = about["game"], about["opponent"]
        self.n, self.actions, self.planes = about["games"], about["actions"], tuple(about["observation"])
        self._hwc, self._stones = layout == "hwc", about["stones"]

    @property
    def shape(self):
        """The shape of one observation."""
        planes, rows, columns = self.planes
        return (rows, columns, planes) if self._hwc else self.planes

    def reset(self, seed=None, which=None):
        """Begins new games: all, or those listed in which. With a seed, game i uses seed + i."""
        reset = {}
        if seed is not None:
            reset["seed"] = _seed(seed)
        if which is not None:
            reset["games"] = [_whole("a game", i, 0, self.n - 1) for i in which]
        return self._observed(self._child.ask(reset=reset))

    def step(self, actions):
        """Plays a move in each game, and the opponent's answer.

        A move is a number or, in a list, a legal move's name. None, or a number below 0, leaves a game alone.
        """
        if isinstance(actions, (list, tuple)):
            if any(isinstance(a, str) for a in actions):
                return self._observed(self._child.ask(step=[_move(a) for a in actions]))
            actions = [-1 if a is None else a for a in actions]
        actions = _integers(actions)
        if actions.size > 0 and actions.max() >= 2**31:
            raise ValueError(f"action {actions.max()} does not exist: there are 0 to {self.actions - 1}")
        actions = np.clip(actions.astype(float), -1, 2**31 - 1).astype("<i4")  # NumPy 2 refuses limits outside the range of int8
        return self._observed(self._child.ask(step=base64.b64encode(actions.tobytes()).decode()))

    def observe(self, player):
        """The games in the view of player 0 or 1, whoever is to move."""
        return self._observed(self._child.ask(observe=("first", "second")[_whole("the player", player, 0, 1)]))

    def scores(self):
        """The score of each legal move under perfect play, int32 [n, actions], for the side to move.

        0 is a draw, positive a win, negative a loss. A larger score wins sooner or loses later. Large games take long.
        """
        return _array(self._child.ask(solve=True)["scores"], "<i4", (self.n, self.actions))

    def legal(self, i=0):
        """The legal moves of game i: a dict from their numbers, in order, to their names, such as {28: "a2a3"}."""
        return dict(self._child.ask(legal=int(i))["legal"])

    def moves(self, i=0):
        """The moves of game i so far, in the notation that all commands of tengen read."""
        return self._child.ask(render=int(i))["moves"]

    def text(self, i=0):
        """Game i as text."""
        return self._child.ask(render=int(i))["text"]

    def picture(self, i=0):
        """Game i as a picture, uint8 [height, width, 3]. Games without stones show the planes of the observation side by side."""
        if self._stones:
            shown = self._child.ask(render=int(i))
            return picture(_array(shown["cells"], np.int8, self.planes[1:]), shown["last"], shown["line"] or ())
        planes = _bits(self._child.ask(observe="first")["observations"], (self.n, *self.planes))[i]
        tiles = np.pad(255 * planes.astype(np.uint8), ((0, 0), (0, 0), (0, 1)), constant_values=128)  # with a gap beside each plane
        row = tiles.transpose(1, 0, 2).reshape(self.planes[1], -1)
        return np.kron(row[:, :, None], np.ones((16, 16, 3), np.uint8))

    def close(self):
        """Ends the program. Further calls do nothing."""
        self._child.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _observed(self, answer):
        observations = _bits(answer["observations"], (self.n, *self.planes))
        if self._hwc:
            observations = np.ascontiguousarray(np.moveaxis(observations, 1, -1))
        return Observed(
            observations,
            _bits(answer["masks"], (self.n, self.actions)),
            _array(answer["rewards"], np.int8, (self.n,)),
            _array(answer["terminated"], np.bool_, (self.n,)),
            _array(answer["players"], np.uint8, (self.n,)),
        )


def _array(text, dtype, shape):
    return np.frombuffer(bytearray(binascii.a2b_base64(text)), dtype).reshape(shape)  # a writable copy


def _bits(text, shape):
    packed = np.frombuffer(binascii.a2b_base64(text), np.uint8)
    return np.unpackbits(packed, count=math.prod(shape), bitorder="little").view(np.int8).reshape(shape)


def _find(tengen):
    """The path of the program."""
    name = tengen or os.environ.get("TENGEN") or "tengen"
    path = shutil.which(name)
    if path is None:
        raise TengenError(f"there is no program {name}: build it with `go build ./cmd/tengen`, and name it by the argument tengen or "
                          "the environment variable TENGEN, or put it on PATH")
    return path


class _Child:
    """The program tengen as a child process that answers requests."""

    def __init__(self, path, arguments):
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=1 << 20,
            start_new_session=True,  # Ctrl-C interrupts only this process; the child ends with its input
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._owner, self._number, self._waiting = os.getpid(), 0, False
        self.close = weakref.finalize(self, _end, self._process, self._errors)  # runs also at garbage collection and exit

    def ask(self, **request):
        """Sends a request and returns the answer. After Ctrl-C, the next call skips the answer that was not read."""
        if not self.close.alive:
            raise TengenError("the environment is closed")
        if os.getpid() != self._owner:
            raise TengenError("the environment belongs to another process: make one in each process")
        interrupted, self._waiting = self._waiting, True
        self._number += 1
        try:
            self._process.stdin.write(json.dumps({"id": self._number, **request}).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._read()
            while interrupted and (answer is None or answer.get("id") != self._number):
                answer = self._read()
        except OSError:
            raise self._died() from None
        self._waiting = False
        if answer is None or answer.get("id") != self._number:
            raise TengenError(f"tengen gives no answer to request {self._number}")
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def _read(self):
        """The next answer, None if it is incomplete."""
        line = self._process.stdout.readline()
        if not line:
            raise self._died()
        try:
            return json.loads(line)
        except ValueError:
            return None

    def _died(self):
        try:
            status = self._process.wait(10)
        except subprocess.TimeoutExpired:
            status = "unknown"
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        self.close()
        return TengenError(f"tengen has ended with exit status {status}" + (f": {said}" if said else ""))


def _end(process, errors):
    """Ends the child by closing its input. If it does not end, terminates and then kills it."""
    try:
        process.stdin.close()
    except OSError:
        pass  # it has ended already
    for end in (lambda: None, process.terminate, process.kill):
        end()
        try:
            process.wait(1)
            break
        except subprocess.TimeoutExpired:
            pass
    process.stdout.close()
    errors.close()


class _Rendering:
    """The environments' common base. It renders a game by render_mode: "human" prints it."""

    metadata = {"name": "tengen_v0", "render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2, "is_parallelizable": False}

    def _set_up(self, render_mode, values):
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is {render_mode!r}: want None or one of {', '.join(self.metadata['render_modes'])}")
        _check_flag("values", values)
        self.render_mode, self._values, self._masks = render_mode, values, None

    def _legal(self):
        """The legal moves of all games, bool [n, actions]."""
        if self._masks is None:
            raise ValueError("no game has begun: call reset")
        return self._masks.astype(bool)

    def _render(self, i=0):
        if self.render_mode == "rgb_array":
            return self.games.picture(i)
        if self.render_mode == "ansi":
            return self.games.text(i)
        if self.render_mode == "human":
            print(self.games.text(i), flush=True)
        return None


class _Env(_Rendering):
    """gymnasium.Env: one side of a game against a player of tengen.

    Observations are int8 [planes, rows, columns], 0 and 1, in the view of the caller's side. The reward is 1, 0 or -1 at the end. info
    has "action_mask" and "player", the caller's side, 0 or 1. With values=True, it also has "scores", see Games.scores. The other
    arguments are those of Games. An illegal move raises ValueError. For learners without masks, illegal="lose" makes it lose.
    """

    def __init__(self, game="connect4", opponent="random", *, render_mode=None, values=False, **options):
        from gymnasium import spaces

        self._set_up(render_mode, values)
        self.games = Games(game, 1, opponent=opponent, **options)
        self.observation_space = spaces.Box(0, 1, self.games.shape, np.int8)
        self.action_space = spaces.Discrete(self.games.actions)

    def reset(self, *, seed=None, options=None):
        _check_options(options, [])
        super().reset(seed=seed)
        return self._seen(self.games.reset(seed))

    def step(self, action):
        observation, info = self._seen(seen := self.games.step([_action(action, self.games.actions)]))
        return observation, float(seen.rewards[0]), bool(seen.terminated[0]), False, info

    def action_masks(self):
        """The legal moves, bool [actions]. Masked PPO calls this method."""
        return self._legal()[0]

    def render(self):
        return self._render()

    def close(self):
        self.games.close()

    def _seen(self, seen):
        self._masks = seen.masks
        info = {"action_mask": seen.masks[0], "player": int(seen.players[0])}
        if self._values:
            info["scores"] = self.games.scores()[0]
        if self.render_mode == "human":
            self._render()
        return seen.observations[0], info


class _VectorEnv(_Rendering):
    """gymnasium.vector.VectorEnv: num_envs games against a player of tengen, stepped together. See Env.

    The step after a game's end begins another game: AutoresetMode.NEXT_STEP. With auto_reset=False, the mode is DISABLED, and
    reset(options={"reset_mask": ...}) restarts the games in the mask.
    """

    def __init__(self, num_envs=1, game="connect4", opponent="random", *, render_mode=None, values=False, auto_reset=True, **options):
        from gymnasium import spaces
        from gymnasium.vector import AutoresetMode
        from gymnasium.vector.utils import batch_space

        self._set_up(render_mode, values)
        self.num_envs = num_envs
        self.games = Games(game, num_envs, opponent=opponent, auto_reset=auto_reset, **options)
        self.metadata = {**self.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP if auto_reset else AutoresetMode.DISABLED}
        self.single_observation_space = spaces.Box(0, 1, self.games.shape, np.int8)
        self.single_action_space = spaces.Discrete(self.games.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, bool)

    def reset(self, *, seed=None, options=None):
        _check_options(options, ["reset_mask"])
        super().reset(seed=seed)
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
                raise TypeError(f"reset_mask is {mask!r}: want a NumPy array of booleans")
            if mask.shape != (self.num_envs,) or not mask.any():
                raise ValueError(f"reset_mask is {mask!r}: want {self.num_envs} booleans, at least one of them True")
        seen = self.games.reset(seed, None if mask is None else np.flatnonzero(mask))
        return seen.observations, self._infos(seen)

    def step(self, actions):
        actions = _integers(actions)
        if (actions < 0).any():
            raise ValueError(f"action {actions.min()} does not exist: there are 0 to {self.games.actions - 1}")
        seen = self.games.step(actions)
        return seen.observations, seen.rewards.astype(np.float64), seen.terminated, np.zeros(self.num_envs, bool), self._infos(seen)

    def action_masks(self):
        """The legal moves, bool [num_envs, actions]."""
        return self._legal()

    def render(self):
        return tuple(self._render(i) for i in range(self.num_envs))

    def close_extras(self, **_):
        self.games.close()

    def _infos(self, seen):
        self._masks = seen.masks
        infos = {"action_mask": seen.masks, "player": seen.players}
        if self._values:
            infos["scores"] = self.games.scores()
        return infos | {f"_{key}": self._all for key in infos}


class _AECEnv(_Rendering):
    """pettingzoo.AECEnv: both sides of a game.

    Observations are dicts of "observation", int8 [planes, rows, columns] in the agent's own view, and "action_mask", int8 [actions],
    all 0 when it is not the agent's turn. An illegal move raises ValueError and changes nothing; PettingZoo's TerminateIllegalWrapper
    makes it lose. With values=True, the info of the agent to move has "scores", see Games.scores. The other arguments are those of Games.
    """

    def __init__(self, game="connect4", *, render_mode=None, values=False, **options):
        from gymnasium import spaces

        self._set_up(render_mode, values)
        self.games = Games(game, 1, opponent=None, **options)
        self.possible_agents = ["player_0", "player_1"]
        self.agents, self._seen = [], None
        self.observation_spaces = {
            agent: spaces.Dict({
                "observation": spaces.Box(0, 1, self.games.shape, np.int8),
                "action_mask": spaces.Box(0, 1, (self.games.actions,), np.int8),
            })
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.games.actions) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        _check_options(options)  # PettingZoo's own test passes an unknown one
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._saw(self.games.reset(seed))

    def last(self, observe=True):
        self._begun()
        return super().last(observe)

    def step(self, action):
        self._begun()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seen = self.games.step([_action(action, self.games.actions)])
        self._cumulative_rewards[agent] = 0.0
        reward = float(seen.rewards[0])
        self.rewards = {a: reward if a == agent else 0.0 - reward for a in self.agents}
        self.terminations = dict.fromkeys(self.agents, bool(seen.terminated[0]))
        self._accumulate_rewards()
        self._saw(seen)

    def observe(self, agent):
        if self._seen is None:
            self._begun()
        if agent not in self.possible_agents:
            raise ValueError(f"agent is {agent!r}: want one of {self.possible_agents}")
        player = self.possible_agents.index(agent)
        mine = player == self._seen.players[0]
        seen = self._seen if mine else self.games.observe(player)
        return {"observation": seen.observations[0].copy(), "action_mask": seen.masks[0] * np.int8(mine)}

    def render(self):
        return self._render()

    def close(self):
        self.games.close()

    def _begun(self):
        if not self.agents:
            raise ValueError("no game has begun: call reset" if self._seen is None else "the game is over: call reset")

    def _saw(self, seen):
        """Updates the position and the agent to move."""
        self._seen, self.agent_selection = seen, self.possible_agents[seen.players[0]]
        self.infos = {agent: {} for agent in self.agents}
        if self._values:
            self.infos[self.agent_selection]["scores"] = self.games.scores()[0]
        if self.render_mode == "human":
            self._render()


def _whole(name, value, least, most):
    """value as an int, if it is a whole number from least to most."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}: want a whole number")
    value = operator.index(value)
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}: want {least} to {most}")
    return value


def _action(action, actions):
    """action as an int, if there is such an action; the name of a move as it is."""
    if isinstance(action, str):
        return action
    action = _whole("the action", action, -math.inf, math.inf)
    if not 0 <= action < actions:
        raise ValueError(f"action {action} does not exist: there are 0 to {actions - 1}")
    return action


def _move(action):
    """An element of a step's list for the program: a number, a name, or None for numbers below 0."""
    if action is None or isinstance(action, str):
        return action
    action = _whole("an action", action, -math.inf, 2**31 - 1)
    return None if action < 0 else action


def _integers(actions):
    """actions as an array with one axis."""
    actions = np.asarray(actions)
    if actions.dtype.kind not in "iu":
        raise TypeError(f"actions are {actions.dtype}: want integers")
    if actions.ndim != 1:
        raise ValueError(f"actions have the shape {actions.shape}: want one axis, a number for each game")
    return actions


def _check_flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}: want True or False")


def _check_options(options, known=None):
    """Refuses options that are no dict or, given those that are known, others."""
    if not isinstance(options, (dict, type(None))):
        raise TypeError(f"options are {options!r}: want a dict or None")
    for key in options or ():
        if known is not None and key not in known:
            raise ValueError(f"there is no option {key!r}: want {' or '.join(known) or 'none'}")


def _seed(seed):
    return None if seed is None else _whole("the seed", seed, 0, 2**63 - 1)


@functools.cache
def __getattr__(name):
    """Makes Env, VectorEnv and AECEnv on first use, because only they need gymnasium or pettingzoo."""
    try:
        if name == "Env":
            from gymnasium import Env as base
        elif name == "VectorEnv":
            from gymnasium.vector import VectorEnv as base
        elif name == "AECEnv":
            from pettingzoo import AECEnv as base
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    except ModuleNotFoundError as missing:
        raise ImportError(f"{name} needs {missing.name}: pip install {missing.name}") from missing
    body = globals()["_" + name]
    return type(name, (body, base), {"__module__": __name__, "__doc__": body.__doc__})


def register():
    """Registers the environments as "tengen-v0" of Gymnasium."""
    import gymnasium

    gymnasium.register("tengen-v0", entry_point=f"{__name__}:Env", vector_entry_point=f"{__name__}:VectorEnv")


WOOD, LINES, DARK, LIGHT, MARK = np.array([(222, 184, 120), (150, 115, 60), (30, 30, 35), (245, 245, 240), (200, 30, 30)], float)


def picture(cells, last=-1, line=(), side=40):
    """Draws a board as a picture, uint8 [rows*side, columns*side, 3].

    cells, [rows, columns], are 1 for the first player's stones, which are dark, -1 for the second's, and 0 elsewhere. Cells are numbered
    row by row. The stone on cell last has a dot. The stones on the cells in line, which have won, have a ring. side is a cell's width.
    """
    rows, columns = cells.shape
    y, x = np.mgrid[:side, :side] + 0.5 - side / 2
    distance = np.hypot(y, x)[:, :, None] / side
    ground = np.where((abs(y) > side / 2 - 1) | (abs(x) > side / 2 - 1), 1.0, 0.0)[:, :, None] * (LINES - WOOD) + WOOD

    def disc(radius):
        return np.clip((radius - distance) * side + 0.5, 0, 1)  # with soft edges

    def paint(tile, colour, shape):
        return tile + shape * (colour - tile)

    board = np.empty((rows, side, columns, side, 3))
    for cell, owner in enumerate(cells.flat):
        tile = ground
        if owner:
            tile = paint(tile, DARK if owner > 0 else LIGHT, disc(0.43))
        if cell in line:
            tile = paint(tile, MARK, disc(0.43) - disc(0.36))
        if cell == last:
            tile = paint(tile, MARK, disc(0.1))
        board[cell // columns, :, cell % columns] = tile
    return board.reshape(rows * side, columns * side, 3).round().astype(np.uint8)
