import { node } from './daemons.ts'
import { watchOnDaemon } from './watch-daemon.ts'

watchOnDaemon(node)
