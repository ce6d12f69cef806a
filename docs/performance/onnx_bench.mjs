// Prints ONNX Runtime's evaluations/s by batch size as JSON: node onnx_bench.mjs MODEL HEIGHT WIDTH SECONDS THREADS

import { argv } from 'node:process'
import * as ort from 'onnxruntime-node'

const model = argv[2]
const [height, width, seconds, threads] = argv.slice(3).map(Number)
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: threads, interOpNumThreads: 1 })
const rates = {}
for (const batch of [1, 8, 32, 128]) {
  const planes = new Float32Array(batch * 4 * height * width).map(() => (Math.random() < 0.2 ? 1 : 0))
  const feeds = { planes: new ort.Tensor('float32', planes, [batch, 4, height, width]) }
  const run = async (milliseconds) => {
    let runs = 0
    const start = performance.now()
    do {
      await session.run(feeds)
      runs++
    } while (performance.now() - start < milliseconds)
    return (runs * batch * 1000) / (performance.now() - start)
  }
  await run(200)
  rates[batch] = await run(1000 * seconds)
}
console.log(JSON.stringify(rates))
