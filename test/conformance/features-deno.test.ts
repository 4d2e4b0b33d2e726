import { deno } from './daemons.ts'
import { featuresOn } from './features.ts'

featuresOn(deno)
