import { bun } from './daemons.ts'
import { takeoverOn } from './takeover.ts'

await takeoverOn(bun)
