/** Whole pieces of work with the oldest and the newest kubectl; cases that an old one has no command for are skipped with that reason. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { type KubectlBinary, kubectls } from '../support/kubectl.ts'
import { type Desks, type Office, officeOf } from './kubectl-desk.ts'
import { declarativeWork } from './workflows-apply.ts'
import { clusterWork } from './workflows-cluster.ts'
import { deploymentWork } from './workflows-deployments.ts'
import { nodeWork } from './workflows-nodes.ts'
import { rightsWork } from './workflows-rights.ts'

function drive(binary: KubectlBinary): void {
  describe(`work with kubectl ${binary.version}`, () => {
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
      const skip = binary.minor < since && `kubectl ${binary.version} cannot do this, 1.${since} can`
      test(title, { skip }, async () => {
        assert(office, 'no daemon')
        await run(await office.desk())
      })
    }
    declarativeWork(on)
    deploymentWork(on)
    nodeWork(on)
    rightsWork(on)
    clusterWork(on)
  })
}

const found = kubectls()
if (found.length === 0) test('work with kubectl', { skip: 'no kubectl on PATH or in KUBECTL_PATHS' }, () => {})
describe('work with kubectl', { concurrency: 2 }, () => {
  for (const each of found) drive(each)
})
