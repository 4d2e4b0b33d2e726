import { node24 } from './daemons.ts'
import { takeoverOn } from './takeover.ts'

await takeoverOn(node24)
