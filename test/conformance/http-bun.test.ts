import { bun } from './daemons.ts'
import { httpOnDaemon } from './http-daemon.ts'

httpOnDaemon(bun)
