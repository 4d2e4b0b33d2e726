import { bun } from './daemons.ts'
import { takeoverOn } from './takeover.ts'

takeoverOn(bun)
