package io.limiter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A copy of a compiled class with one atomic step split, to be put in front of the class path: so the copy differs from the
 * class in this and nothing else, however the class changes.
 */
final class PlantedRace {

    /** Instead of a method: all monitors and locks of the class. */
    static final String LOCKS = "locks";

    private static final String LOCK = Type.getInternalName(ReentrantLock.class);

    private final String type;
    private final String step;
    private boolean planted;

    private PlantedRace(String type, String step) {
        this.type = type;
        this.step = step;
    }

    /**
     * Writes the copy.
     *
     * @param type the name of a class
     * @param step a method of {@link SplitSteps}, which is called instead of the atomic one; or {@link #LOCKS}
     * @throws AssertionError if the class has no such step
     */
    static void plant(String type, String step, Path classes) throws IOException {
        new PlantedRace(type, step).write(classes);
    }

    private void write(Path classes) throws IOException {
        String file = type.replace('.', '/') + ".class";
        ClassWriter copy = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        try (InputStream original = PlantedRace.class.getClassLoader().getResourceAsStream(file)) {
            new ClassReader(original).accept(new Copy(copy), 0);
        }
        if (!planted) {
            throw new AssertionError(type + " has no " + step + " any more: choose another step to split");
        }
        Path target = classes.resolve(file);
        Files.createDirectories(target.getParent());
        Files.write(target, copy.toByteArray());
    }

    private final class Copy extends ClassVisitor {

        Copy(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            boolean unlock = step.equals(LOCKS) && (access & Opcodes.ACC_SYNCHRONIZED) != 0;
            planted |= unlock;
            MethodVisitor next = super.visitMethod(
                    unlock ? access & ~Opcodes.ACC_SYNCHRONIZED : access, name, descriptor, signature, exceptions);
            return new CopiedMethod(next);
        }
    }

    private final class CopiedMethod extends MethodVisitor {

        CopiedMethod(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitInsn(int opcode) {
            boolean monitor = opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT;
            boolean unlock = monitor && step.equals(LOCKS);
            planted |= unlock;
            super.visitInsn(unlock ? Opcodes.POP : opcode);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            String split = "(L" + owner + ";" + descriptor.substring(1);
            if (step.equals(LOCKS) && owner.equals(LOCK) && (name.equals("lock") || name.equals("unlock"))) {
                planted = true;
                super.visitInsn(Opcodes.POP);
            } else if (opcode == Opcodes.INVOKEVIRTUAL && name.equals(step) && isSplit(split)) {
                planted = true;
                super.visitMethodInsn(Opcodes.INVOKESTATIC, Type.getInternalName(SplitSteps.class), name, split, false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        private boolean isSplit(String descriptor) {
            return Arrays.stream(SplitSteps.class.getMethods())
                    .anyMatch(method -> method.getName().equals(step)
                            && Type.getMethodDescriptor(method).equals(descriptor));
        }
    }
}
