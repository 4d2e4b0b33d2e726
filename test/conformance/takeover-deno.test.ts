import { deno } from './daemons.ts'
import { takeoverOn } from './takeover.ts'

await takeoverOn(deno)
