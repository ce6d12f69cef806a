// Evaluates a position of Connect Four with the network of connect4.onnx.

import * as ort from 'onnxruntime-web'

const session = await ort.InferenceSession.create('connect4.onnx')

// The planes of Connect Four after moves such as '44353', and which columns are not full.
function position(moves) {
  const [rows, columns] = [6, 7], cells = rows * columns
  const stones = [new Float32Array(cells), new Float32Array(cells)], heights = Array(columns).fill(0)
  let last = -1
  Array.from(moves, (move, ply) => {
    last = (rows - 1 - heights[move - 1]++) * columns + (move - 1)
    stones[ply % 2][last] = 1
  })
  const mover = moves.length % 2, planes = new Float32Array(4 * cells)
  planes.set(stones[mover])
  planes.set(stones[1 - mover], cells)
  if (last >= 0) planes[2 * cells + last] = 1
  if (mover === 0) planes.fill(1, 3 * cells)
  return { planes, legal: heights.map(height => height < rows) }
}

// The policy over the legal moves, and the value for the side to move.
async function evaluate({ planes, legal }) {
  const output = await session.run({ planes: new ort.Tensor('float32', planes, [1, 4, 6, 7]) })
  const logits = Array.from(output.policy_logits.data, (logit, move) => (legal[move] ? logit : -Infinity))
  const highest = Math.max(...logits)
  const shares = logits.map(logit => Math.exp(logit - highest))
  const sum = shares.reduce((a, b) => a + b)
  return { policy: shares.map(share => share / sum), value: output.value.data[0] }
}

const { policy, value } = await evaluate(position('44353'))
policy.forEach((share, move) => console.log(`${move + 1}: ${share.toFixed(3)}`))
console.log(`value: ${value.toFixed(3)}`)
