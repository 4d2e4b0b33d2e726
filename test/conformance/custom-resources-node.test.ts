import { startDaemon } from '../support/daemon.ts'
import { customResources } from './custom-resources.ts'
import { node } from './daemons.ts'
import { suiteControllers } from './http-suite.ts'

customResources(
  'Custom resources on Node',
  async () => {
    const { fetch, stop } = await startDaemon({ command: node.command(), flags: [`--controllers=${suiteControllers}`] })
    return { fetch, close: () => stop() }
  },
  { skip: node.skip },
)
