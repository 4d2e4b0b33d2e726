import { customResourcesOnDaemon } from './custom-resources-daemon.ts'
import { deno } from './daemons.ts'

customResourcesOnDaemon(deno)
