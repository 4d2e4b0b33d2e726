import { deno } from './daemons.ts'
import { watchOnDaemon } from './watch-daemon.ts'

watchOnDaemon(deno)
