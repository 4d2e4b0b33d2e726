import { node } from './daemons.ts'
import { featuresOn } from './features.ts'

featuresOn(node)
