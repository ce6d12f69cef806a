package net

import (
	"fmt"

	"tengen/game"
	"tengen/internal/limits"
)

// Config is a network's architecture. config.yaml quotes its fields' comments.
type Config struct {
	// Residual blocks of two convolutions each. Small boards need 2 to 6; AlphaZero used 19.
	Blocks int `json:"blocks" default:"4" range:"[0,64]"`
	// Channels of every convolution in the trunk. Time grows with the square. AlphaZero used 256.
	Channels int `json:"channels" default:"48" range:"[1,1024]"`
	// How many of the blocks have a global pooling bias, which shows every cell the whole board; every other block only
	// sees two cells farther than the one before. Useful on large boards: KataGo has 2 among 6 or 10 blocks, 3 among
	// 20.
	PooledBlocks int `json:"pooled_blocks" range:"[0,64]"`
	// The policy head. dense: every move sees the features of all cells. conv: a move sees the features of its cell
	// and what is pooled from the board, as in KataGo, so a shape looks the same everywhere and on boards of any size.
	// conv is for games whose moves belong to cells: one to each, as in gomoku, or one of each kind, such as steps in
	// three directions. Only a few, such as a pass, may belong to none. With value_head pooled, the network fits boards
	// of all sizes: a run on a larger board can begin with it (train.from), and net:PATH plays on any.
	PolicyHead string `json:"policy_head" default:"dense" range:"dense|conv"`
	// Channels of the policy head's 1x1 convolution. dense needs few: AlphaGo Zero used 2. KataGo, with conv, uses 32
	// and more.
	PolicyChannels int `json:"policy_channels" default:"16" range:"[1,256]"`
	// The value head sees the features of all cells (dense), or their means and maxima over a board of any size
	// (pooled).
	ValueHead string `json:"value_head" default:"dense" range:"dense|pooled"`
	// Channels of the value head's 1x1 convolution. dense needs few: AlphaGo Zero used 1. KataGo, with pooled, uses 32
	// and more.
	ValueChannels int `json:"value_channels" default:"16" range:"[1,256]"`
	// Hidden units of the value head. AlphaGo Zero used 256.
	ValueHidden int `json:"value_hidden" default:"64" range:"[1,4096]"`

	// Auxiliary heads: a network that must guess more about a game learns sooner what matters in it. Play does not compute
	// these heads. The number is the weight of the head's loss beside policy and value; 0: no such head. The losses in
	// metrics.jsonl, such as reply_loss, are not multiplied by it.
	//
	// Guesses the opponent's reply: the policy of the game's next search. Lost positions have no reply when
	// selfplay.proven_weight is below 1. KataGo uses 0.15.
	ReplyWeight float64 `json:"reply_weight" default:"0.15" range:"[0,10]"`
	// Guesses who holds each cell at the end of the game; the loss is the mean over the cells. Models keep this head,
	// and analyses of Go and Othello show its guess. Games without a board have no such head. KataGo uses 1.5 for
	// ownership, the same idea in Go.
	OccupancyWeight float64 `json:"occupancy_weight" default:"1.5" range:"[0,10]"`
}

const (
	HeadDense  = "dense"  // a dense layer on all cells, for one board size
	HeadConv   = "conv"   // a policy from each cell and from pooled features
	HeadPooled = "pooled" // a value from pooled features
)

// Default returns a residual network for small boards.
func Default() Config { return limits.Default[Config]() }

// Validate returns an error that names the first key out of range.
func (c Config) Validate() error {
	if err := limits.Check("net", c); err != nil {
		return err
	}
	if c.PooledBlocks > 0 && c.Channels < 2 {
		return fmt.Errorf("net.channels is %d, but a pooled block needs 2: raise it, or set net.pooled_blocks to 0", c.Channels)
	}
	return limits.Int("net.pooled_blocks", c.PooledBlocks, 0, c.Blocks)
}

// ConfigFor returns c adapted to g: a game whose positions are no boards of stones has no cells to guess the holders
// of.
func ConfigFor[S game.State[S]](c Config, g game.Game[S]) Config {
	if _, ok := any(g.Start()).(game.Diagram); !ok {
		c.OccupancyWeight = 0
	}
	return c
}

// Fits returns an error if the network's policy head cannot play g, or if the network is too large for a model file.
func Fits[S game.State[S]](c Config, g game.Game[S]) error {
	layout := layoutOf(g)
	switch n := layout.Actions(g.Board().Cells()); {
	case c.PolicyHead == HeadConv && layout.Planes == 0:
		return fmt.Errorf("net.policy_head is %q, but the moves of %s are not numbered by the board's cells: choose %s",
			c.PolicyHead, g.Name(), HeadDense)
	case layout != (game.Layout{}) && n != g.Actions():
		return fmt.Errorf("%s has %d moves, but its Layout has %d: correct its method Actions or Layout", g.Name(), g.Actions(), n)
	}
	return checkFile(c, ShapeOf(g))
}

// layoutOf returns the zero Layout for games without one.
func layoutOf[S game.State[S]](g game.Game[S]) game.Layout {
	if g, ok := any(g).(game.Spatial); ok {
		return g.Layout()
	}
	return game.Layout{}
}

// AnySize reports whether the network fits boards of any size.
func (c Config) AnySize() bool { return c.PolicyHead == HeadConv && c.ValueHead == HeadPooled }

// pooled reports whether residual block i, from 0, has global pooling.
func (c Config) pooled(i int) bool {
	for k := range c.PooledBlocks {
		if i == (k+1)*c.Blocks/(c.PooledBlocks+1) {
			return true
		}
	}
	return false
}

// Shape is the size of a network's input and output.
type Shape struct {
	Height  int `json:"height"`  // rows of the board
	Width   int `json:"width"`   // columns of the board
	Actions int `json:"actions"` // of a policy vector
	Planes  int `json:"planes"`  // of an encoded position
	// Named is the number of moves without a cell, the last ones: see game.Layout. It is 0 if moves are not numbered by
	// cells.
	Named int `json:"named,omitempty"`
}

// ShapeOf returns the shape of networks that play g.
func ShapeOf[S game.State[S]](g game.Game[S]) Shape {
	size := g.Board()
	return Shape{Height: size.Rows, Width: size.Columns, Actions: g.Actions(), Planes: g.Planes(), Named: layoutOf(g).Named}
}

// validate returns an error for shapes that no game has.
func (s Shape) validate() error {
	if s.Height < 1 || s.Height > 64 || s.Width < 1 || s.Width > 64 || s.Actions < 1 || s.Actions > 1<<16 || s.Planes < 1 || s.Planes > 1024 ||
		s.Named < 0 || s.Named > s.Actions {
		return fmt.Errorf("%v is out of range: a board has 1x1 to 64x64 cells, at most %d moves and at most 1024 planes", s, 1<<16)
	}
	return nil
}

// String returns text such as "6x7 board with 7 moves, 4 planes" or "8x8 board with 65 moves (1 without a cell), 4
// planes".
func (s Shape) String() string {
	named := ""
	if s.Named != 0 {
		named = fmt.Sprintf(" (%d without a cell)", s.Named)
	}
	return fmt.Sprintf("%dx%d board with %d moves%s, %d planes", s.Height, s.Width, s.Actions, named, s.Planes)
}

func (s Shape) check(c Config) error {
	if err := s.validate(); err != nil {
		return err
	}
	if planes := s.movePlanes(); c.PolicyHead == HeadConv && (planes < 1 || planes*s.cells()+s.Named != s.Actions) {
		return fmt.Errorf("a %v does not have the same number of moves at every cell, which policy head %q needs", s, c.PolicyHead)
	}
	return nil
}

// movePlanes returns the number of moves at each cell, if they are numbered by cells.
func (s Shape) movePlanes() int { return (s.Actions - s.Named) / s.cells() }

func (s Shape) cells() int { return s.Height * s.Width }

func (s Shape) inputLen() int { return s.Planes * s.Height * s.Width }
