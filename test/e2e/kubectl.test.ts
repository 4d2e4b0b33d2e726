import { apply } from './kubectl-apply.ts'
import { cluster } from './kubectl-cluster.ts'
import { withEachKubectl } from './kubectl-desk.ts'
import { objects } from './kubectl-objects.ts'
import { output } from './kubectl-output.ts'

withEachKubectl('as a user with kubectl', [objects, output, apply, cluster])
