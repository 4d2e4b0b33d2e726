import { bun } from './daemons.ts'
import { watchOnDaemon } from './watch-daemon.ts'

watchOnDaemon(bun)
