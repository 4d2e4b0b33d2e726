import { customResourcesOnDaemon } from './custom-resources-daemon.ts'
import { bun } from './daemons.ts'

customResourcesOnDaemon(bun)
