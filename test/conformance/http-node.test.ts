import { node } from './daemons.ts'
import { httpOnDaemon } from './http-daemon.ts'

httpOnDaemon(node)
