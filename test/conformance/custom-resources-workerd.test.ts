import { startPlain } from '../support/plain-server.ts'
import { root } from '../support/root.ts'
import { without } from '../support/runtimes.ts'
import { customResources } from './custom-resources.ts'

const worker = `${root}test/conformance/workerd.ts`
const command = [process.execPath, '--import', 'tsx', 'wrangler-free-examples/workerd-run.ts', worker] as const

customResources('custom resources in-process on workerd', () => startPlain(command), { skip: without('workerd') })
