import { bun } from './daemons.ts'
import { featuresOn } from './features.ts'

featuresOn(bun)
