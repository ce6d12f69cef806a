package net

import (
	"fmt"
	"reflect"
	"slices"

	"tengen/game"
	"tengen/internal/limits"
)

// Config is the architecture of a network. The board's size and the number of moves come from the game, see Shape.
type Config struct {
	// Blocks is the number of residual blocks of two convolutions each, after a first convolution. AlphaZero used 19. Two
	// to six are enough for small boards. Ignored when Stack is set.
	Blocks int `json:"blocks" yaml:"blocks"`
	// Channels is the width of every convolution of the trunk. AlphaZero used 256; time grows with its square. Ignored when
	// Stack is set.
	Channels int `json:"channels" yaml:"channels"`
	// Stack, when not empty, replaces the residual blocks by a plain stack of 3x3 convolutions of these widths, such as 32,
	// 64, 128.
	Stack []int `json:"stack" yaml:"stack,flow"`
	// PooledBlocks is the number of residual blocks with a global pooling bias, by which one part of the board hears of the
	// others: see pooledBlock. They stand after equal parts of the trunk, as in KataGo.
	PooledBlocks int `json:"pooled_blocks" yaml:"pooled_blocks"`
	// PolicyHead is HeadDense, or HeadConv for games whose moves are the cells of the board. See policyLogits. Auxiliary heads
	// that guess moves are of the same kind.
	PolicyHead string `json:"policy_head" yaml:"policy_head"`
	// PolicyChannels is the width of the 1x1 convolution of the policy head. AlphaGo Zero used 2, KataGo 32 and more.
	PolicyChannels int `json:"policy_channels" yaml:"policy_channels"`
	// ValueHead is HeadDense or HeadPooled. See valueHead.
	ValueHead string `json:"value_head" yaml:"value_head"`
	// ValueChannels is the width of the 1x1 convolution of the value head. AlphaGo Zero used 1, KataGo 32 and more.
	ValueChannels int `json:"value_channels" yaml:"value_channels"`
	// ValueHidden is the width of the hidden layer of the value head. AlphaGo Zero used 256.
	ValueHidden int `json:"value_hidden" yaml:"value_hidden"`
	// HideLastMove blanks the plane of the last move, game.LastPlane: the network sees the stones alone, so that a position is
	// the same whichever of its moves came last, and is evaluated, and learned, once. Games without that plane hide nothing.
	HideLastMove bool `json:"hide_last_move" yaml:"hide_last_move"`

	// ReplyWeight is how much the loss of the head that guesses the opponent's reply counts, see replyHead. 0: there is none.
	ReplyWeight float64 `json:"reply_weight" yaml:"reply_weight"`
	// SoftPolicyWeight is how much the loss of the head that guesses the policy at a high temperature counts, see softPolicyHead.
	// 0: there is none.
	SoftPolicyWeight float64 `json:"soft_policy_weight" yaml:"soft_policy_weight"`
	// OccupancyWeight is how much the loss of the head that guesses who holds which cell in the end counts, see occupancyHead.
	// 0: there is none. It is for games whose positions are a game.Diagram.
	OccupancyWeight float64 `json:"occupancy_weight" yaml:"occupancy_weight"`
}

// Kinds of heads.
const (
	HeadDense  = "dense"  // a dense layer on all cells: of one size of board
	HeadConv   = "conv"   // a policy from each cell and from what is pooled of all
	HeadPooled = "pooled" // a value from what is pooled of all cells
)

// Default is a residual network for small boards on an ordinary computer.
func Default() Config {
	return Config{
		Blocks: 4, Channels: 48, PolicyHead: HeadDense, PolicyChannels: 16, ValueHead: HeadDense, ValueChannels: 16, ValueHidden: 64,
		HideLastMove: true,
	}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	all := []limits.Limit{
		limits.OneOf("policy_head", c.PolicyHead, HeadDense, HeadConv),
		limits.Int("policy_channels", c.PolicyChannels, 1, 256),
		limits.OneOf("value_head", c.ValueHead, HeadDense, HeadPooled),
		limits.Int("value_channels", c.ValueChannels, 1, 256),
		limits.Int("value_hidden", c.ValueHidden, 1, 4096),
		limits.Float("reply_weight", c.ReplyWeight, 0, 10),
		limits.Float("soft_policy_weight", c.SoftPolicyWeight, 0, 10),
		limits.Float("occupancy_weight", c.OccupancyWeight, 0, 10),
	}
	if len(c.Stack) == 0 {
		all = append(all, limits.Int("blocks", c.Blocks, 0, 64), limits.Int("channels", c.Channels, 1, 1024),
			limits.Int("pooled_blocks", c.PooledBlocks, 0, c.Blocks))
	}
	for i, width := range c.Stack {
		all = append(all, limits.Int(fmt.Sprintf("stack[%d]", i), width, 1, 1024))
	}
	if err := limits.Check("net", all...); err != nil {
		return err
	}
	if len(c.Stack) > 64 {
		return fmt.Errorf("net.stack has %d widths, allowed are up to 64", len(c.Stack))
	}
	if c.PooledBlocks != 0 && len(c.Stack) > 0 {
		return fmt.Errorf("net.pooled_blocks is %d, but a net.stack has no blocks: leave one of them out", c.PooledBlocks)
	}
	if c.PooledBlocks > 0 && c.Channels < 2 {
		return fmt.Errorf("net.channels is %d, a pooled block needs 2: raise it, or set net.pooled_blocks to 0", c.Channels)
	}
	return nil
}

// Suited is c as networks that play g have it: where no plane shows the last move, none is hidden, though a game may have as many
// planes as a placement game.
func Suited[S game.State[S]](c Config, g game.Game[S]) Config {
	if _, ok := any(g.Start()).(game.Placement); !ok {
		c.HideLastMove = false
	}
	return c
}

// Fits returns an error if the network cannot play g, because of its policy head.
func Fits[S game.State[S]](c Config, g game.Game[S]) error {
	if c.PolicyHead != HeadConv || movesAreCells(g) {
		return nil
	}
	return fmt.Errorf("net.policy_head is %q, for games whose moves are the cells of the board, which those of %s are not: choose %s",
		c.PolicyHead, g.Name(), HeadDense)
}

// movesAreCells reports whether move i of g puts a stone on cell i, for all cells.
func movesAreCells[S game.State[S]](g game.Game[S]) bool {
	start, ok := any(g.Start()).(game.Placement)
	if !ok || g.Actions() != g.Board().Cells() {
		return false
	}
	legal := g.Start().Legal(nil)
	return len(legal) == g.Actions() && !slices.ContainsFunc(legal, func(a game.Action) bool { return start.Target(a) != int(a) })
}

// AnySize reports whether the parameters are the same for boards of all sizes.
func (c Config) AnySize() bool { return c.PolicyHead == HeadConv && c.ValueHead == HeadPooled }

// pooled reports whether the i-th residual block, from 0, is one of the PooledBlocks.
func (c Config) pooled(i int) bool {
	for k := range c.PooledBlocks {
		if i == (k+1)*c.Blocks/(c.PooledBlocks+1) {
			return true
		}
	}
	return false
}

// canonical is c, in memory of its own, with 0 for the keys that it ignores.
func (c Config) canonical() Config {
	c.Stack = append([]int{}, c.Stack...)
	if len(c.Stack) > 0 {
		c.Blocks, c.Channels = 0, 0
	}
	return c
}

// same reports whether c and d are the same architecture.
func (c Config) same(d Config) bool { return reflect.DeepEqual(c.canonical(), d.canonical()) }

// Shape is the size of a network's input and output, which the game dictates.
type Shape struct {
	Height  int `json:"height"`  // rows of the board
	Width   int `json:"width"`   // columns of the board
	Actions int `json:"actions"` // length of a policy vector
	Planes  int `json:"planes"`  // of an encoded position
}

// ShapeOf is the shape of the networks that play g.
func ShapeOf[S game.State[S]](g game.Game[S]) Shape {
	size := g.Board()
	return Shape{Height: size.Rows, Width: size.Columns, Actions: g.Actions(), Planes: g.Planes()}
}

// validate refuses shapes that no game has, such as a damaged or hostile file may hold.
func (s Shape) validate() error {
	if s.Height < 1 || s.Height > 64 || s.Width < 1 || s.Width > 64 || s.Actions < 1 || s.Actions > 1<<16 || s.Planes < 1 || s.Planes > 1024 {
		return fmt.Errorf("%v is out of range: allowed are boards of 1x1 to 64x64, up to %d moves and up to 1024 planes", s, 1<<16)
	}
	return nil
}

// String writes the shape as "6x7 board with 7 moves, 4 planes".
func (s Shape) String() string {
	return fmt.Sprintf("%dx%d board with %d moves, %d planes", s.Height, s.Width, s.Actions, s.Planes)
}

// check returns an error if no network of the architecture has the shape.
func (s Shape) check(c Config) error {
	if c.PolicyHead == HeadConv && s.Actions != s.cells() {
		return fmt.Errorf("a %v has not one move for each cell, as a policy head %q has", s, c.PolicyHead)
	}
	return s.validate()
}

// cells is the number of cells of the board.
func (s Shape) cells() int { return s.Height * s.Width }

// inputLen is the number of values of one encoded position.
func (s Shape) inputLen() int { return s.Planes * s.Height * s.Width }
