import { atomicList, bool, field, int64, message, pointer, required, string } from '../../schema/model.ts'

const byType = [{ discriminator: 'type', members: ['localhostProfile'] }]

export const AppArmorProfile = message('AppArmorProfile', 'An AppArmor profile.', () => ({
  type: required(1, string, 'Localhost, RuntimeDefault or Unconfined.', {
    goType: 'v1.AppArmorProfileType',
    enum: ['Unconfined', 'RuntimeDefault', 'Localhost'],
  }),
  localhostProfile: pointer(2, string, 'Profile loaded on the node; for Localhost only.'),
})).with({ unions: byType })

export const Capabilities = message('Capabilities', 'Linux capabilities of a container.', () => ({
  add: field(1, atomicList(string), 'Capabilities to add.', { goType: 'v1.Capability' }),
  drop: field(2, atomicList(string), 'Capabilities to take away.', { goType: 'v1.Capability' }),
}))

export const SELinuxOptions = message('SELinuxOptions', 'User, role, type and level of an SELinux context.', () => ({
  user: field(1, string, 'User label.'),
  role: field(2, string, 'Role label.'),
  type: field(3, string, 'Type label.'),
  level: field(4, string, 'Level label.'),
}))

export const WindowsSecurityContextOptions = message(
  'WindowsSecurityContextOptions',
  'Credentials and user of processes on Windows.',
  () => ({
    gmsaCredentialSpecName: pointer(1, string, "Name of the group managed account's credential spec."),
    gmsaCredentialSpec: pointer(2, string, 'Content of that credential spec.'),
    runAsUserName: pointer(3, string, "User of the first process; the image's by default."),
    hostProcess: pointer(4, bool, 'Runs as a host process container; all containers of a pod alike.'),
  }),
)

export const SeccompProfile = message('SeccompProfile', 'A seccomp profile.', () => ({
  type: required(1, string, 'Localhost, RuntimeDefault or Unconfined.', {
    goType: 'v1.SeccompProfileType',
    enum: ['Unconfined', 'RuntimeDefault', 'Localhost'],
  }),
  localhostProfile: pointer(2, string, 'Profile file on the node; for Localhost only.'),
})).with({ unions: byType })

export const SecurityContext = message('SecurityContext', 'Privileges of a container.', () => ({
  capabilities: pointer(1, Capabilities, 'Capabilities to add and drop.'),
  privileged: pointer(2, bool, "Gives all privileges of the node's root."),
  seLinuxOptions: pointer(3, SELinuxOptions, 'SELinux labels.'),
  windowsOptions: pointer(10, WindowsSecurityContextOptions, 'Settings for Windows.'),
  runAsUser: pointer(4, int64, "User id of the first process; the image's by default."),
  runAsGroup: pointer(8, int64, "Group id of the first process; the runtime's default otherwise."),
  runAsNonRoot: pointer(5, bool, 'Refuses to start as user 0.'),
  readOnlyRootFilesystem: pointer(6, bool, 'Makes the root file system read-only.'),
  allowPrivilegeEscalation: pointer(7, bool, 'Lets processes gain more privileges than their parent.'),
  procMount: pointer(9, string, 'How /proc is mounted: Default or Unmasked.', {
    goType: 'v1.ProcMountType',
    enum: ['Default', 'Unmasked'],
  }),
  seccompProfile: pointer(11, SeccompProfile, "Seccomp profile; wins over the pod's."),
  appArmorProfile: pointer(12, AppArmorProfile, "AppArmor profile; wins over the pod's."),
}))

export const Sysctl = message('Sysctl', 'A kernel parameter.', () => ({
  name: required(1, string, 'Name of the parameter.'),
  value: required(2, string, 'Value to set.'),
}))

export const PodSecurityContext = message(
  'PodSecurityContext',
  'Privileges of all containers of a pod, and settings of the pod itself.',
  () => ({
    seLinuxOptions: pointer(1, SELinuxOptions, 'SELinux labels.'),
    windowsOptions: pointer(8, WindowsSecurityContextOptions, 'Settings for Windows.'),
    runAsUser: pointer(2, int64, "User id of first processes; the image's by default."),
    runAsGroup: pointer(6, int64, "Group id of first processes; the runtime's default otherwise."),
    runAsNonRoot: pointer(3, bool, 'Refuses to start containers as user 0.'),
    supplementalGroups: field(4, atomicList(int64), 'Further group ids of first processes.'),
    supplementalGroupsPolicy: pointer(12, string, "Merge adds the groups of the image's user; Strict does not.", {
      goType: 'v1.SupplementalGroupsPolicy',
      enum: ['Merge', 'Strict'],
      gate: 'SupplementalGroupsPolicy',
    }),
    fsGroup: pointer(5, int64, 'Group that owns volumes which allow it.'),
    sysctls: field(7, atomicList(Sysctl), 'Kernel parameters of the pod.'),
    fsGroupChangePolicy: pointer(9, string, 'When owners of a volume are changed: OnRootMismatch or Always.', {
      goType: 'v1.PodFSGroupChangePolicy',
      enum: ['OnRootMismatch', 'Always'],
    }),
    seccompProfile: pointer(10, SeccompProfile, 'Seccomp profile of the containers.'),
    appArmorProfile: pointer(11, AppArmorProfile, 'AppArmor profile of the containers.'),
    seLinuxChangePolicy: pointer(13, string, 'How volumes get their SELinux label: MountOption or Recursive.', {
      goType: 'v1.PodSELinuxChangePolicy',
      openEnum: ['Recursive', 'MountOption'],
      gate: 'SELinuxChangePolicy',
    }),
  }),
).with({
  internalOrder: [
    ...['seLinuxOptions', 'windowsOptions', 'runAsUser', 'runAsGroup', 'runAsNonRoot', 'supplementalGroups', 'supplementalGroupsPolicy'],
    ...['fsGroup', 'fsGroupChangePolicy', 'sysctls', 'seccompProfile', 'appArmorProfile', 'seLinuxChangePolicy'],
  ],
})
