import { deno } from './daemons.ts'
import { httpOnDaemon } from './http-daemon.ts'

httpOnDaemon(deno)
