import { node24 } from './daemons.ts'
import { httpOnDaemon } from './http-daemon.ts'

httpOnDaemon(node24)
