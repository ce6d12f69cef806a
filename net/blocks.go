package net

import (
	"fmt"
	"math"

	"tengen/internal/kernel"
)

func (p *plan) addTrunk() {
	stem := p.layer("stem", 1, p.cfg.Channels, p.shape.Planes, 3, 3)
	p.trunk = append(p.trunk, func(b *builder, planes *node) *node {
		// A 3x3 convolution. Planes [B, planes, H, W] are few and stored channels first, so they take a dense layer.
		return b.affine(b.patches(planes), stem.weight, stem.bias, rectifier, false)
	})
	for i := range p.cfg.Blocks {
		block := p.residualBlock
		if p.cfg.pooled(i) {
			block = p.pooledBlock
		}
		p.trunk = append(p.trunk, block(fmt.Sprintf("block%d", i+1), p.cfg.Channels))
	}
}

func (p *plan) residualBlock(name string, width int) stage {
	first := p.layer(name+".conv1", 1, width, width, 3, 3)
	second := p.layer(name+".conv2", p.branchGain(), width, width, 3, 3)
	return func(b *builder, x *node) *node {
		skipGradient := new(shortcut)
		h := b.convolution(x, first.weight, first.bias, skip{addFrom: skipGradient})
		return b.convolution(h, second.weight, second.bias, skip{residual: x, sendTo: skipGradient})
	}
}

func (p *plan) branchGain() float64 { return 1 / math.Sqrt(float64(p.cfg.Blocks)) }

// pooledBlock returns a residual block with a global pooling bias (Wu 2019, section 3.3):
//
//	ReLU(x + conv2(ReLU(conv1(x) + dense pool(ReLU(conv(x))))))
func (p *plan) pooledBlock(name string, width int) stage {
	pool := poolWidth(width)
	inside := width - pool
	conv := p.layer(name+".pool.conv", 1, pool, width, 3, 3)
	dense := p.unbiased(name+".pool.dense", poolGain, inside, pooledFeatures*pool)
	first := p.layer(name+".conv1", 1, inside, width, 3, 3)
	second := p.layer(name+".conv2", p.branchGain(), width, inside, 3, 3)
	return func(b *builder, x *node) *node {
		skipGradient, poolGradient := new(shortcut), new(shortcut)
		pooled := b.pool(b.convolution(x, conv.weight, conv.bias, skip{addFrom: poolGradient}))
		bias := b.affine(pooled, dense.weight, first.bias, linear, true)
		h := b.convolution(x, first.weight, bias, skip{sendTo: poolGradient, addFrom: skipGradient})
		return b.convolution(h, second.weight, second.bias, skip{residual: x, sendTo: skipGradient})
	}
}

// poolWidth returns the number of pooled channels in a block: a quarter, rounded up to fill vector registers, at most
// half. KataGo pools a quarter to a half.
func poolWidth(channels int) int { return min(kernel.Pad((channels+3)/4), channels/2) }

// poolGain is the gain of weights on pooled features, whose maxima exceed a cell's features several times.
const poolGain = 0.3
