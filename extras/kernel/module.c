// SPDX-License-Identifier: MIT
/*
 * stampede.ko: the schemes' writers in a kernel. It judges nothing: a program starts epochs through
 * /dev/stampede, and reads what they wrote (extras/kernel/run.h). Root's alone, and one program at
 * a time; whatever becomes of that, its end stops what it started.
 */
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "extras/kernel/side.h"
#include "extras/kernel/price.h"
#include "extras/kernel/rows.h"

static DEFINE_MUTEX(one);
static struct side sides[KERNEL_CPUS_MAX];
static uint32_t side_count;
static bool taken, started;

static int areas_open(void)
{
	int cpu;

	for_each_online_cpu(cpu)
	{
		if (side_count == KERNEL_CPUS_MAX)
			break;
		sides[side_count].cpu = cpu;
		sides[side_count].area =
			allocation_fails() ? NULL : vmalloc_user(KERNEL_AREA_BYTES);
		if (!sides[side_count].area)
			return -ENOMEM;
		side_count++;
	}
	return 0;
}

static void areas_close(void)
{
	while (side_count)
		vfree(sides[--side_count].area);
	started = false;
}

static int device_open(struct inode *inode, struct file *file)
{
	int error = -EBUSY;

	mutex_lock(&one);
	if (!taken) {
		error = areas_open();
		if (error)
			areas_close();
		else
			taken = true;
	}
	mutex_unlock(&one);
	return error;
}

static int device_release(struct inode *inode, struct file *file)
{
	mutex_lock(&one);
	areas_close();
	taken = false;
	mutex_unlock(&one);
	return 0;
}

static bool start_is_sound(const struct kernel_start *start, const struct driver *driver)
{
	return start->scheme_bytes == driver->scheme_bytes &&
	       start->image_bytes == sizeof(struct kernel_image) &&
	       driver->scheme_bytes <= KERNEL_SUBBUFS_AT - KERNEL_SCHEME_AT && start->cpus &&
	       start->mode <= RING_DISCARD && start->count_shift >= 1 &&
	       1u << start->count_shift <= KERNEL_SUBBUFS_MOST && start->subbuf_shift >= 8 &&
	       start->subbuf_shift <= RING_MAX_SUBBUF_SHIFT &&
	       1u << (start->subbuf_shift + start->count_shift) <= KERNEL_BASE_MOST;
}

static void start_side(struct side *side, const struct kernel_start *start,
		       const struct driver *driver, struct side *other)
{
	side->config = kernel_config(start, driver, (uint32_t)side->cpu);
	side->driver = driver;
	side->image = (struct kernel_image *)side->area;
	side->scheme = side->area + KERNEL_SCHEME_AT;
	side->other = other;
	side->contexts = start->contexts;
	side->beat_ns = start->beat_ns;
	memset(side->area, 0, KERNEL_BASE_AT);
	/* Bytes of an earlier row must not pass for records. */
	memset(side->area + KERNEL_BASE_AT, 0xa5, KERNEL_BASE_MOST);
	side->image->writer.random = 1;
	side_init(side, side->cpu);
}

static long device_start(struct kernel_start __user *from)
{
	struct kernel_start start;
	const struct driver *driver;
	uint32_t i;

	if (copy_from_user(&start, from, sizeof(start)))
		return -EFAULT;
	start.row[KERNEL_ROW_BYTES - 1] = 0;
	driver = kernel_row(start.row);
	if (!driver)
		return -ENOENT;
	if (driver->unsupported())
		return -EOPNOTSUPP;
	if (!start_is_sound(&start, driver))
		return -EINVAL;
	started = true;
	if (start.cpus > side_count)
		start.cpus = side_count;
	for (i = 0; i < start.cpus; i++)
		start_side(&sides[i], &start, driver, &sides[(i + 1) % start.cpus]);
	for (; i < side_count; i++)
		sides[i].driver = NULL;
	start.tsc_khz = tsc_khz;
	return copy_to_user(from, &start, sizeof(start)) ? -EFAULT : 0;
}

static long device_epoch(const struct kernel_epoch __user *from)
{
	struct kernel_epoch epoch;
	uint32_t i, running, count = 0;
	int error = 0;

	if (copy_from_user(&epoch, from, sizeof(epoch)))
		return -EFAULT;
	if (!started)
		return -EINVAL;
	cpus_read_lock();
	while (count < side_count && sides[count].driver)
		count++;
	sides_begin((int)count);
	for (running = 0; running < count; running++) {
		sides[running].events_most = epoch.events;
		sides[running].most_ns = epoch.most_ns;
		error = cpu_online(sides[running].cpu) ? side_start(&sides[running]) : -ENODEV;
		if (error)
			break;
	}
	if (error)
		sides_end();
	for (i = 0; i < running; i++)
		wait_for_completion(&sides[i].done);
	for (i = 0; i < running; i++)
		side_stop(&sides[i]);
	cpus_read_unlock();
	started = false;
	return error;
}

static long device_price(struct kernel_price __user *from)
{
	struct kernel_price *price;
	int error;

	if (allocation_fails())
		return -ENOMEM;
	price = memdup_user(from, sizeof(*price));
	if (IS_ERR(price))
		return PTR_ERR(price);
	price->row[KERNEL_ROW_BYTES - 1] = 0;
	started = false;
	error = price_take(price, sides[0].area);
	price->tsc_khz = tsc_khz;
	if (!error && copy_to_user(from, price, sizeof(*price)))
		error = -EFAULT;
	kfree(price);
	return error;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long error = -ENOTTY;

	mutex_lock(&one);
	if (command == KERNEL_START)
		error = device_start((struct kernel_start __user *)argument);
	else if (command == KERNEL_EPOCH)
		error = device_epoch((const struct kernel_epoch __user *)argument);
	else if (command == KERNEL_PRICE)
		error = device_price((struct kernel_price __user *)argument);
	mutex_unlock(&one);
	return error;
}

static int device_mmap(struct file *file, struct vm_area_struct *area)
{
	unsigned long at = area->vm_pgoff << PAGE_SHIFT, side = at / KERNEL_AREA_BYTES;

	if (at % KERNEL_AREA_BYTES || side >= side_count)
		return -EINVAL;
	return remap_vmalloc_range(area, sides[side].area, 0);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.mmap = device_mmap,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KERNEL_DEVICE,
	.fops = &operations,
	.mode = 0600,
};

static int __init stampede_init(void)
{
	int error = sides_register();

	if (error)
		return error;
	error = misc_register(&device);
	if (error)
		sides_unregister();
	return error;
}

static void __exit stampede_exit(void)
{
	misc_deregister(&device);
	sides_unregister();
}

module_init(stampede_init);
module_exit(stampede_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Ways to stamp a tracer's events, written under real interrupts");
