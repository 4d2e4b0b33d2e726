import { node24 } from './daemons.ts'
import { featuresOn } from './features.ts'

featuresOn(node24)
