import { node24 } from './daemons.ts'
import { takeoverOn } from './takeover.ts'

takeoverOn(node24)
