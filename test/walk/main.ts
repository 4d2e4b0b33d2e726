/**
 * `npm run walk -- --root DIR [--only ROLE] [--go-path DIR]`: follows README and the guides in an empty machine, in each role, as root on Linux.
 *
 *   --root DIR      a minimal Debian, which stays as it is: `debootstrap --variant=minbase
 *                   --include=ca-certificates,curl,git,openssl,procps bookworm DIR`
 *   --only ROLE     one role: typescript, go, operator, python, edge
 *   --go-path DIR   GOPATH with the modules that Go's tests need, for machines that reach no module proxy
 *
 * Prints the time of each step, and the longest time without output in it, with its command. The exit status is 1 if a step failed.
 */
import { parseArgs } from 'node:util'
import { prepareMachine } from './machine.ts'
import { roles } from './roles.ts'
import { stepsOf } from './steps.ts'

const { values } = parseArgs({ options: { root: { type: 'string' }, only: { type: 'string' }, 'go-path': { type: 'string' } } })
const { root, only } = values
if (root === undefined) throw new Error('--root DIR is needed: see test/walk/main.ts')

for (const role of roles.filter(({ name }) => only === undefined || name === only)) {
  const machine = prepareMachine(root, role, values['go-path'])
  console.log(`\n| ${role.name} | s | longest silence, s | in |\n| --- | --- | --- | --- |`)
  try {
    const ended = await machine.run(stepsOf(role), ({ name, seconds, silence, silent }) => {
      console.log(`| ${name} | ${seconds.toFixed(1)} | ${silence.toFixed(1)} | ${silent} |`)
    })
    if (ended.failure !== undefined) {
      console.log(`\n${ended.failure}`)
      process.exitCode = 1
    }
  } finally {
    machine.remove()
  }
}
