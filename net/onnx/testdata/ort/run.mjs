// Runs models in ONNX Runtime: node run.mjs FOLDER
//
// FOLDER has a file jobs.json, a list of {model, batches, shape}: MODEL.onnx is given the positions of MODEL.planes,
// float32, in each of these batches, and what it answers becomes MODEL.BATCH.policy_logits and MODEL.BATCH.value.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { argv } from 'node:process'
import * as ort from 'onnxruntime-web'

const folder = argv[2]

async function floats(name) {
  const bytes = await readFile(join(folder, name))
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

for (const { model, batches, shape } of JSON.parse(await readFile(join(folder, 'jobs.json'), 'utf8'))) {
  const session = await ort.InferenceSession.create(await readFile(join(folder, model + '.onnx')))
  const planes = (await floats(model + '.planes')).slice()
  const inputLen = shape[0] * shape[1] * shape[2]
  for (const batch of batches) {
    const answers = { policy_logits: [], value: [] }
    for (let at = 0; at < planes.length; at += batch * inputLen) {
      const rows = planes.slice(at, at + batch * inputLen)
      const output = await session.run({ planes: new ort.Tensor('float32', rows, [rows.length / inputLen, ...shape]) })
      for (const name in answers) answers[name].push(Buffer.from(output[name].data.slice().buffer))
    }
    for (const name in answers) await writeFile(join(folder, `${model}.${batch}.${name}`), Buffer.concat(answers[name]))
  }
}
