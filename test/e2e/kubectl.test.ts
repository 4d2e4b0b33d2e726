import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { type KubectlBinary, kubectls } from '../support/kubectl.ts'
import { apply } from './kubectl-apply.ts'
import { cluster } from './kubectl-cluster.ts'
import { type Desks, type Office, officeOf } from './kubectl-desk.ts'
import { objects } from './kubectl-objects.ts'
import { output } from './kubectl-output.ts'

function drive(binary: KubectlBinary): void {
  describe(`kubectl ${binary.version}`, () => {
    let daemon: Daemon | undefined
    let office: Office | undefined
    before(async () => {
      daemon = await startDaemon()
      office = officeOf(binary, daemon)
    })
    after(async () => {
      office?.close()
      await daemon?.stop()
    })
    const on: Desks = (title, run, since = 0) => {
      const skip = binary.minor < since && `kubectl ${binary.version} has no such command, 1.${since} has`
      test(title, { skip }, async () => {
        assert(office)
        await run(await office.desk())
      })
    }
    objects(on)
    output(on)
    apply(on)
    cluster(on)
  })
}

const found = kubectls()
if (found.length === 0) test('kubectl', { skip: 'no kubectl on PATH or in KUBECTL_PATHS' }, () => {})
describe('as a user with kubectl', { concurrency: 2 }, () => {
  for (const each of found) drive(each)
})
