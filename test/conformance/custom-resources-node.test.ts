import { customResourcesOnDaemon } from './custom-resources-daemon.ts'
import { node } from './daemons.ts'

customResourcesOnDaemon(node)
