import { node24 } from './daemons.ts'
import { watchOnDaemon } from './watch-daemon.ts'

watchOnDaemon(node24)
