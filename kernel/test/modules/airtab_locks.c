// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * airtab_locks: how long the lock of a device's root qdisc is held.
 *
 *   echo DEV >/sys/kernel/debug/airtab_locks    begins anew
 *   cat /sys/kernel/debug/airtab_locks          times taken, longest hold and sum in ns
 *
 * Two kprobes, at the kernel's spin_lock_bh() and spin_unlock_bh(): what holds that
 * lock and is no packet (dumps, changes, resets) takes it so. On one processor
 * nobody waits for it, so it is held from the call on. Under QEMU's icount the
 * clock counts instructions.
 *
 * What this is not: packets take the lock by spin_lock() and are not seen.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/timekeeping.h>
#include <net/sch_generic.h>

static struct dentry *file;
static spinlock_t *watched;
static u64 since, longest, sum, times;

static int on_lock(struct kprobe *probe, struct pt_regs *regs)
{
	if (watched && (void *)regs_get_kernel_argument(regs, 0) == watched)
		since = ktime_get_mono_fast_ns();
	return 0;
}

static int on_unlock(struct kprobe *probe, struct pt_regs *regs)
{
	if (watched && since && (void *)regs_get_kernel_argument(regs, 0) == watched) {
		u64 held = ktime_get_mono_fast_ns() - since;

		longest = max(longest, held);
		sum += held;
		times++;
		since = 0;
	}
	return 0;
}

static struct kprobe lock = { .symbol_name = "_raw_spin_lock_bh", .pre_handler = on_lock };
static struct kprobe unlock = { .symbol_name = "_raw_spin_unlock_bh", .pre_handler = on_unlock };

static ssize_t write_request(struct file *f, const char __user *from, size_t n, loff_t *at)
{
	struct net_device *dev;
	char name[IFNAMSIZ];

	if (!n || n > sizeof(name) || copy_from_user(name, from, n))
		return -EINVAL;
	name[n - 1] = 0;
	rtnl_lock();
	watched = NULL;
	since = longest = sum = times = 0;
	dev = __dev_get_by_name(&init_net, name);
	if (dev)
		watched = qdisc_lock((struct Qdisc *)rcu_access_pointer(dev->qdisc));
	rtnl_unlock();
	return dev ? n : -ENODEV;
}

static ssize_t read_result(struct file *f, char __user *to, size_t n, loff_t *at)
{
	char text[64];

	return simple_read_from_buffer(to, n, at, text,
				       scnprintf(text, sizeof(text), "%llu %llu %llu\n", times, longest, sum));
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.write = write_request,
	.read = read_result,
};

static int __init locks_init(void)
{
	int err = register_kprobe(&lock);

	if (err)
		return err;
	err = register_kprobe(&unlock);
	if (err) {
		unregister_kprobe(&lock);
		return err;
	}
	file = debugfs_create_file("airtab_locks", 0600, NULL, NULL, &operations);
	return 0;
}

static void __exit locks_exit(void)
{
	debugfs_remove(file);
	unregister_kprobe(&lock);
	unregister_kprobe(&unlock);
}

module_init(locks_init);
module_exit(locks_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("airtab: how long a qdisc's lock is held");
