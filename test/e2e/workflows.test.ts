/** Whole workflows with the oldest and the newest kubectl. */
import { withEachKubectl } from './kubectl-desk.ts'
import { declarativeWork } from './workflows-apply.ts'
import { clusterWork } from './workflows-cluster.ts'
import { deploymentWork } from './workflows-deployments.ts'
import { nodeWork } from './workflows-nodes.ts'
import { rightsWork } from './workflows-rights.ts'

withEachKubectl('work with kubectl', [declarativeWork, deploymentWork, nodeWork, rightsWork, clusterWork])
