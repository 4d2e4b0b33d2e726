/** What runs beside the requests. */
import { controllerNames } from '../controllers/index.ts'
import { option } from './option.ts'
import { bool, list, oneOf } from './types.ts'

export const controllerOptions = {
  controllers: option(list(oneOf(controllerNames)), {
    default: controllerNames,
    description: 'Names of the built-in controllers to run. Default: all.',
  }),
  garbageCollection: option(bool, {
    default: true,
    description: "Enable garbage collection by owner references. Must equal the controller manager's setting.",
  }),
}
